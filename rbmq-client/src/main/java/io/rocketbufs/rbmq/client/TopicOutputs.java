package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The outputs of a publisher by buffer id, and the sums of their counters. An output that is forgotten remains in the
 * sums.
 *
 * <p><b>Thread-safety:</b> any thread; {@link #nextId()} under the lock of {@link PublisherTopics}. This object's lock
 * is never held while that of an output is acquired, because a thread that holds the lock of one output may forget
 * another.
 */
final class TopicOutputs {
    private final Map<Integer, TopicOutput> outputs = new ConcurrentHashMap<>();
    private volatile int lastId;
    /** The counters of the outputs that were forgotten. Guarded by this object's lock. */
    private OutputCounts forgotten = OutputCounts.NONE;

    /** Returns an id that no output has had. */
    int nextId() {
        int id = lastId + 1;
        lastId = id;
        return id;
    }

    void put(int id, TopicOutput output) {
        outputs.put(id, output);
    }

    /** Removes an output that could not be announced. */
    void remove(int id) {
        outputs.remove(id);
    }

    /** Removes an output that has ended, but keeps its counters. Does nothing if it was removed before. */
    void forget(int id) {
        TopicOutput output = outputs.get(id);
        if (output == null) {
            return;
        }
        OutputCounts its = output.counts(); // final, because the output has ended
        synchronized (this) {
            if (outputs.remove(id, output)) {
                forgotten = forgotten.plus(its);
            }
        }
    }

    /** Counts the unconfirmed messages of outputs that were forgotten as dropped. */
    synchronized void dropForgotten() {
        forgotten = forgotten.dropped();
    }

    /** Returns the output with an id; null if there is none. */
    TopicOutput get(int id) {
        return outputs.get(id);
    }

    /**
     * Returns the output that a message of the broker concerns; empty for one that was forgotten before the message
     * arrived.
     *
     * @throws io.rocketbufs.rocketnet.TransportException for an id that no output has had
     */
    Optional<TopicOutput> get(RbmqType type, int id) {
        TopicOutput output = outputs.get(id);
        if (output == null && (id < 1 || id > lastId)) {
            throw RbmqLayout.violation("the broker sent " + type + " for unknown buffer " + id);
        }
        return Optional.ofNullable(output);
    }

    Collection<TopicOutput> all() {
        return outputs.values();
    }

    /** Returns the sums of the counters of all outputs, including those that were forgotten. */
    OutputCounts sum() {
        List<TopicOutput> present;
        OutputCounts sum;
        synchronized (this) {
            present = List.copyOf(outputs.values());
            sum = forgotten;
        }
        for (TopicOutput output : present) {
            sum = sum.plus(output.counts());
        }
        return sum;
    }
}

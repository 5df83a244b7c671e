package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The outputs of a publisher by buffer id, and the sums of their counters. The sums include outputs that have been
 * removed.
 *
 * <p><b>Thread-safety:</b> any thread; {@link #nextId()} under the lock of {@link PublisherTopics}. This object's lock
 * is never held while an output's lock is acquired, because a thread that holds the lock of one output may remove
 * another.
 */
final class TopicOutputs {
    private final Map<Integer, TopicOutput> outputs = new ConcurrentHashMap<>();
    private volatile int lastId;
    /** The counters of removed outputs. Guarded by this object's lock. */
    private OutputCounts forgotten = OutputCounts.NONE;

    /** Returns an id that has not been used for any output. */
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

    /** Removes an output that has ended, but keeps its counters. Does nothing if it has already been removed. */
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

    /** Counts the unconfirmed messages of removed outputs as dropped, and returns their number. */
    synchronized long dropForgotten() {
        long unconfirmed = forgotten.unconfirmedCount();
        forgotten = forgotten.dropped();
        return unconfirmed;
    }

    /** Returns the output with an id; null if there is none. */
    TopicOutput get(int id) {
        return outputs.get(id);
    }

    /**
     * Returns the output to which a message from the broker refers; empty if the output was removed before the message
     * arrived.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the id has not been used for any output
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

    /** Returns the sums of the counters of all outputs, including removed ones. */
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

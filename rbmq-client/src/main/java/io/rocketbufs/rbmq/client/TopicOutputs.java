package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The outputs of a publisher by buffer id, and the sums of their counters. An output that is forgotten remains in the
 * sums.
 *
 * <p><b>Thread-safety:</b> any thread; {@link #nextId()} under the publisher's lock. This object's lock is never held
 * while that of an output is acquired, because a thread that holds the lock of one output may forget another.
 */
final class TopicOutputs {
    private final Map<Integer, TopicOutput> outputs = new ConcurrentHashMap<>();

    private volatile int lastId;
    /** Guarded by this object's lock. */
    private Forgotten forgotten = new Forgotten(0, 0, 0, 0);

    /**
     * The counters of the outputs that were forgotten.
     *
     * @param publishedCount number of messages published
     * @param publishedLength their total length in bytes, without their headers
     * @param unconfirmedCount number of messages that the broker did not confirm
     * @param unconfirmedLength their total length in bytes, including headers
     */
    record Forgotten(long publishedCount, long publishedLength, long unconfirmedCount, long unconfirmedLength) {
        private static Forgotten of(TopicOutput output) {
            return new Forgotten(
                    output.publishedCount(),
                    output.publishedLength(),
                    output.unconfirmedCount(),
                    output.unconfirmedLength());
        }

        private Forgotten plus(Forgotten other) {
            return new Forgotten(
                    publishedCount + other.publishedCount,
                    publishedLength + other.publishedLength,
                    unconfirmedCount + other.unconfirmedCount,
                    unconfirmedLength + other.unconfirmedLength);
        }
    }

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
        Forgotten its = Forgotten.of(output); // final, because the output has ended
        synchronized (this) {
            if (outputs.remove(id, output)) {
                forgotten = forgotten.plus(its);
            }
        }
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

    /** Returns the sum of a counter over all outputs, including those that were forgotten. */
    long sum(ToLongFunction<TopicOutput> counter, ToLongFunction<Forgotten> ofForgotten) {
        List<TopicOutput> present;
        Forgotten gone;
        synchronized (this) {
            present = List.copyOf(outputs.values());
            gone = forgotten;
        }
        return present.stream().mapToLong(counter).sum() + ofForgotten.applyAsLong(gone);
    }
}

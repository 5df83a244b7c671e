package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * The outputs of a publisher by buffer id, and the sums of their counters. An output that is forgotten remains in the
 * sums.
 *
 * <p><b>Thread-safety:</b> any thread; {@link #nextId()} under the publisher's lock.
 */
final class TopicOutputs {
    private final Map<Integer, TopicOutput> outputs = new ConcurrentHashMap<>();
    /** The library's own receivers of the changes that {@link PublisherCallback#onInterest} reports. */
    private final Map<TopicOutput, Consumer<Boolean>> interestListeners = new ConcurrentHashMap<>();

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
        private Forgotten plus(TopicOutput output) {
            return new Forgotten(
                    publishedCount + output.publishedCount(),
                    publishedLength + output.publishedLength(),
                    unconfirmedCount + output.unconfirmedCount(),
                    unconfirmedLength + output.unconfirmedLength());
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
        TopicOutput output = outputs.remove(id);
        if (output != null) {
            interestListeners.remove(output);
        }
    }

    /** Removes an output that has ended, but keeps its counters. Does nothing if it was removed before. */
    synchronized void forget(int id) {
        TopicOutput output = outputs.remove(id);
        if (output != null) {
            interestListeners.remove(output);
            forgotten = forgotten.plus(output);
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

    /** Sets the receiver of changes of the interest in an output's topic. */
    void listen(TopicOutput output, Consumer<Boolean> listener) {
        interestListeners.put(output, listener);
    }

    /** Tells the receiver, if there is one, that the interest in an output's topic has changed. */
    void tellInterest(TopicOutput output) {
        Consumer<Boolean> listener = interestListeners.get(output);
        if (listener != null) {
            listener.accept(output.hasSubscribers());
        }
    }

    /** Returns the sum of a counter over all outputs, including those that were forgotten. */
    synchronized long sum(ToLongFunction<TopicOutput> counter, ToLongFunction<Forgotten> ofForgotten) {
        return outputs.values().stream().mapToLong(counter).sum() + ofForgotten.applyAsLong(forgotten);
    }
}

package io.rocketbufs.rbmq.broker;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of departed publishers that a broker keeps, in the order in which it started to keep them. If they
 * occupy more memory than allowed, the oldest messages are removed.
 *
 * <p><b>Thread-safety:</b> must be called while holding the lock of {@link Topics}.
 */
final class KeptMessages {
    private static final Logger LOG = LoggerFactory.getLogger(KeptMessages.class);
    private static final long LOG_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier limit;
    private final LongSupplier clockNs;
    /** The messages by the ids of their buffers. */
    private final Map<Integer, KeptMessage> messages = new LinkedHashMap<>();

    private long memoryLength;
    private long removedCount;
    private long loggedCount;
    private long loggedNs;

    /**
     * Creates an empty set.
     *
     * @param limit supplies the maximum number of bytes of memory that the messages may occupy
     * @param clockNs supplies the time in nanoseconds, measured from an arbitrary origin
     */
    KeptMessages(LongSupplier limit, LongSupplier clockNs) {
        this.limit = limit;
        this.clockNs = clockNs;
    }

    /**
     * Adds a message.
     *
     * @return the messages that must be removed because of the limit: the added message if it alone exceeds the limit,
     *     followed by the oldest messages
     */
    List<KeptMessage> add(KeptMessage message) {
        messages.put(message.bufferId(), message);
        memoryLength += message.memoryLength();
        List<KeptMessage> excess = new ArrayList<>();
        if (message.memoryLength() > limit.getAsLong()) {
            excess.add(message);
            return addOldest(excess, memoryLength - message.memoryLength());
        }
        return addOldest(excess, memoryLength);
    }

    /** Returns the messages that must be removed because the limit has been lowered, oldest first. */
    List<KeptMessage> excess() {
        return addOldest(new ArrayList<>(), memoryLength);
    }

    /** Adds the oldest messages to {@code excess} until the rest of the {@code length} bytes is within the limit. */
    private List<KeptMessage> addOldest(List<KeptMessage> excess, long length) {
        long most = limit.getAsLong();
        Iterator<KeptMessage> oldest = messages.values().iterator();
        for (long left = length;
                left > most;
                left -= excess.get(excess.size() - 1).memoryLength()) {
            excess.add(oldest.next());
        }
        if (!excess.isEmpty()) {
            removedCount += excess.size();
            warn(excess.get(0));
        }
        return excess;
    }

    private void warn(KeptMessage first) {
        long now = clockNs.getAsLong();
        if (loggedCount > 0 && now - loggedNs < LOG_INTERVAL_NS) {
            return;
        }
        LOG.warn(
                "The last messages of departed publishers exceed rbmq.limits.kept-bytes={}: removed {}, beginning with"
                        + " that of topic \"{}\"; raise the limit, or keep the last messages of fewer topics",
                limit.getAsLong(),
                removedCount - loggedCount,
                first.topic());
        loggedCount = removedCount;
        loggedNs = now;
    }

    /** Removes a message and releases its memory. Does nothing if the message has already been removed. */
    void remove(KeptMessage message) {
        if (messages.remove(message.bufferId(), message)) {
            memoryLength -= message.memoryLength();
            message.forgetting().run();
        }
    }

    int count() {
        return messages.size();
    }

    /** Returns the number of bytes of memory that the messages occupy. */
    long memoryLength() {
        return memoryLength;
    }

    /** Returns the number of messages that were removed because of the limit. */
    long removedCount() {
        return removedCount;
    }
}

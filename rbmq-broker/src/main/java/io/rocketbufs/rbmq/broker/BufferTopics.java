package io.rocketbufs.rbmq.broker;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The topics of all buffers to which a subscriber can subscribe. A buffer is added before it exists, and is removed
 * when subscriptions to it are no longer possible, so that an unknown id is never that of a buffer with data.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BufferTopics {
    /** The topics, by the broker's id for the buffer. */
    private final Map<Integer, String> topics = new ConcurrentHashMap<>();

    private final AtomicInteger ids = new AtomicInteger();

    /** Returns an unused buffer id; an id is reused only after all others have been used. Any thread. */
    int nextId() {
        return ids.incrementAndGet();
    }

    /** Adds a buffer that does not exist yet. */
    void add(TopicBuffer buffer) {
        topics.put(buffer.bufferId(), buffer.topic());
    }

    /** Removes a buffer to which subscriptions are no longer possible. */
    void remove(int bufferId) {
        topics.remove(bufferId);
    }

    /** Returns the topic of a buffer, which may be an inbox; null when no buffer has this id. */
    String topicOf(int bufferId) {
        return topics.get(bufferId);
    }
}

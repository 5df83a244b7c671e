package io.rocketbufs.rbmq.broker;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The topics of all buffers to which a subscriber can subscribe. A buffer is added before it exists and is removed once
 * it can no longer be subscribed to, so an unknown id never denotes a buffer with data.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BufferTopics {
    /** The topics, by the broker's id for the buffer. */
    private final Map<Integer, String> topics = new ConcurrentHashMap<>();

    private final AtomicInteger ids = new AtomicInteger();

    /** Returns an unused buffer id; an id is reused only after all other ids have been used. Any thread. */
    int nextId() {
        return ids.incrementAndGet();
    }

    /** Adds a buffer that is about to be created. */
    void add(TopicBuffer buffer) {
        topics.put(buffer.bufferId(), buffer.topic());
    }

    /** Removes a buffer that can no longer be subscribed to. */
    void remove(int bufferId) {
        topics.remove(bufferId);
    }

    /** Returns the topic of a buffer, which may be an inbox; null if no buffer has this id. */
    String topicOf(int bufferId) {
        return topics.get(bufferId);
    }
}

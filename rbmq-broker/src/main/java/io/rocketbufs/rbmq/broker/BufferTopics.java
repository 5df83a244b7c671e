package io.rocketbufs.rbmq.broker;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The topics of all buffers to which a subscriber can subscribe. A buffer is added before it exists, and is removed
 * when subscriptions to it are no longer possible, so that an unknown id is never that of a buffer with data.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BufferTopics {
    /** The topics, by the broker's id for the buffer. */
    private final Map<Integer, String> topics = new ConcurrentHashMap<>();

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

package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.protocol.LogMessageLayout;

/**
 * The topic that a client uses: the topic with this name that exists when the client begins. If it is deleted and a
 * topic with the same name is created, that is a different topic, with unrelated offsets.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class TopicIdentity {
    private final String name;
    private volatile long id = LogMessageLayout.ANY_TOPIC;

    TopicIdentity(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Returns the id that the topic must have, or {@link LogMessageLayout#ANY_TOPIC} if it is not known yet. */
    long id() {
        return id;
    }

    /** Sets the id of the topic that the broker found. */
    void found(long topicId) {
        id = topicId;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}

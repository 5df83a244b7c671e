package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.protocol.LogMessageLayout;

/**
 * The identity of the topic that a client uses: the topic that has the given name when the client first accesses it. If
 * this topic is deleted and recreated with the same name, the new topic counts as a different topic, with unrelated
 * offsets.
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

    /** Returns the id that the topic must have, or {@link LogMessageLayout#ANY_TOPIC} if the id is not known yet. */
    long id() {
        return id;
    }

    /** Records the id of the topic that the broker has found. */
    void found(long topicId) {
        id = topicId;
    }

    /** Returns the topic's name. */
    @Override
    public String toString() {
        return name;
    }
}

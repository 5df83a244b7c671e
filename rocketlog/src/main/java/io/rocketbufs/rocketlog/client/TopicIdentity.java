package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.protocol.LogMessageLayout;

/**
 * The topic that a client uses: the one with this name that exists when the client begins. A topic that is created with
 * the same name after this one was deleted is another one, whose offsets mean something else.
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

    /** Returns the id that the broker must find, or {@link LogMessageLayout#ANY_TOPIC} if the client has just begun. */
    long id() {
        return id;
    }

    /** Sets the id that the broker has found. */
    void found(long topicId) {
        id = topicId;
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}

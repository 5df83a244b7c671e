package io.rocketbufs.rbmq.client;

/** What became of an attempt to publish. */
public enum PublishResult {
    /** The message is in the publisher's buffer, and on its way to the broker: see {@link Publisher#flush}. */
    PUBLISHED,
    /**
     * No space: try again when the broker has progressed. The blocking forms do not return this, except the one that
     * waits for a limited time.
     */
    NO_SPACE,
    /** The connection to the broker is lost: make a new publisher. */
    NOT_CONNECTED,
    /** The broker refused the topic, see {@link TopicPublisher#announced()}: do not try again. */
    REFUSED,
    /** The thread was interrupted while it waited for space; its interrupt status is set. Nothing was published. */
    INTERRUPTED,
    /** This publisher, or the topic, is closed: do not try again. */
    CLOSED
}

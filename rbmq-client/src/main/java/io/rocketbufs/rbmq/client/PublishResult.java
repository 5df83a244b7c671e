package io.rocketbufs.rbmq.client;

/** The outcome of an attempt to publish. */
public enum PublishResult {
    /** The message is in the publisher's buffer and will be sent to the broker; see {@link Publisher#flush}. */
    PUBLISHED,
    /**
     * There is no space; try again when the broker has consumed more. Of the blocking methods, only the one with a
     * timeout returns this.
     */
    NO_SPACE,
    /**
     * The topic has no subscribers, so the message was dropped; only with {@link WhenUnheard#DROP}. A later message is
     * sent if there is a subscriber by then. See {@link TopicPublisher#unheardCount()}.
     */
    UNHEARD,
    /**
     * The connection to the broker is lost, and the publisher keeps no messages for the next one; see
     * {@link Unconfirmed}. Try again later, unless {@link Publisher#closed()} shows that the publisher does not
     * reconnect.
     */
    NOT_CONNECTED,
    /** The broker refused the topic; do not try again. See {@link TopicPublisher#announced()}. */
    REFUSED,
    /** The thread was interrupted while it waited for space; its interrupt status is set. Nothing was published. */
    INTERRUPTED,
    /** This publisher, or the topic, is closed; do not try again. */
    CLOSED
}

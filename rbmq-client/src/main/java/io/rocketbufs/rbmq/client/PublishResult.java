package io.rocketbufs.rbmq.client;

/** The outcome of an attempt to publish. */
public enum PublishResult {
    /** The message is in the publisher's buffer and will be sent to the broker; see {@link Publisher#flush}. */
    PUBLISHED,
    /**
     * There is no space; try again when the broker has consumed more. Of the blocking methods, only those with a
     * timeout return this.
     */
    NO_SPACE,
    /**
     * The topic has no subscribers, so the message was dropped. Returned only with {@link WhenUnheard#DROP}. Later
     * messages are sent once the topic has a subscriber. See {@link TopicPublisher#unheardCount()}.
     */
    UNHEARD,
    /**
     * The connection to the broker is lost, and the publisher does not keep messages for the next connection; see
     * {@link Unconfirmed}. Try again later, unless {@link Publisher#closed()} shows that the publisher does not
     * reconnect.
     */
    NOT_CONNECTED,
    /** The broker refused the topic; do not try again. See {@link TopicPublisher#announced()}. */
    REFUSED,
    /** The thread was interrupted while it waited for space. Its interrupt status is set, and nothing was published. */
    INTERRUPTED,
    /** The publisher or the topic is closed; do not try again. */
    CLOSED
}

package io.rocketbufs.rbmq.client;

/** The treatment of messages to a topic without subscribers. */
public enum WhenUnheard {
    /** Sends the message to the broker, which discards it. */
    SEND,
    /**
     * Drops the message and returns {@link PublishResult#UNHEARD}. When a first subscriber has just subscribed,
     * messages are still dropped until the broker reports the subscriber, even though the subscriber may already
     * consider itself live.
     */
    DROP
}

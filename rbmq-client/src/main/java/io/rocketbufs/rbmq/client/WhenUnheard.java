package io.rocketbufs.rbmq.client;

/** The treatment of messages to a topic without subscribers. */
public enum WhenUnheard {
    /** Sends it to the broker, which discards it. */
    SEND,
    /**
     * Drops it, and returns {@link PublishResult#UNHEARD}. A message that is published between a subscription and the
     * broker's report of it is dropped too, even though the subscriber may already consider itself live.
     */
    DROP
}

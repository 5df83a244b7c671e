package io.rocketbufs.rbmq.client;

/** The treatment of messages that the broker had not confirmed when the connection was lost. */
public enum Unconfirmed {
    /**
     * Sends the messages again over the next connection. Subscribers may receive some of them twice, because the broker
     * may have passed them on already. Until then, the messages stay in the publisher's buffer, and further messages
     * can be published while there is space.
     */
    RESEND,
    /**
     * Drops the messages, even though some may not have arrived. Until the next connection, publishing returns
     * {@link PublishResult#NOT_CONNECTED}.
     */
    DROP
}

package io.rocketbufs.rbmq.client;

/** The treatment of messages that the broker had not confirmed when the connection was lost. */
public enum Unconfirmed {
    /**
     * It sends them again over the next connection. Subscribers may receive some of them twice, because the broker may
     * have passed them on. Until then, they stay in the publisher's buffer, to which further messages can be published
     * while there is space.
     */
    RESEND,
    /**
     * It drops them, although some may not have arrived. Until the next connection, publishing returns
     * {@link PublishResult#NOT_CONNECTED}.
     */
    DROP
}

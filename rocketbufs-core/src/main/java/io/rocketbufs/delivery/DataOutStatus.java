package io.rocketbufs.delivery;

/** What became of a delivery. */
public enum DataOutStatus {
    /** Every subscription has sent it: the local memory is free. */
    SENT,
    /** Nobody was subscribed. */
    NO_SUBSCRIBER,
    /** It was discarded before every subscription had begun to send it. */
    DISCARDED,
    /** A subscription ended, or was made to skip, before it had sent it. */
    LOST
}

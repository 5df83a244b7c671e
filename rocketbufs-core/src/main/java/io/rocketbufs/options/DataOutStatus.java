package io.rocketbufs.options;

/** The outcome of a delivery. */
public enum DataOutStatus {
    /** It has been sent to every subscriber, and no longer occupies local memory. */
    SENT,
    /** There was no subscriber. */
    NO_SUBSCRIBER,
    /** It was discarded before its transfer to every subscriber had begun. */
    DISCARDED,
    /** A subscription ended, or was made to skip, before the delivery had been sent. */
    LOST
}

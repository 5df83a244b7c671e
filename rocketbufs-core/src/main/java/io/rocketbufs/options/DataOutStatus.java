package io.rocketbufs.options;

/** The outcome of a delivery. */
public enum DataOutStatus {
    /** The delivery has been sent to every subscriber, and no longer occupies local memory. */
    SENT,
    /** The buffer had no subscriber. */
    NO_SUBSCRIBER,
    /** The delivery was discarded. Only subscribers to which its transfer had already begun receive it. */
    DISCARDED,
    /** At least one subscription ended, or skipped the delivery, before the delivery had been sent to it. */
    LOST
}

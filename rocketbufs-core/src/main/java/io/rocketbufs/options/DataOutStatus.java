package io.rocketbufs.options;

/** The outcome of a delivery. */
public enum DataOutStatus {
    /**
     * The delivery has been sent to every subscriber, and no longer occupies local memory other than that of kept data.
     * If the buffer keeps data until it is consumed, every subscriber has consumed the delivery.
     */
    SENT,
    /** The buffer had no subscriber. If it keeps data, a later subscription may have received the delivery. */
    NO_SUBSCRIBER,
    /** The delivery was discarded. Subscribers do not receive it unless its transfer to them had already begun. */
    DISCARDED,
    /** At least one subscription ended, or skipped the delivery, before the delivery had been sent to it. */
    LOST
}

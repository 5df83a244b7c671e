package io.rocketbufs;

/** What became of a delivery. */
public enum DataOutStatus {
    /** Every subscriber has been sent it: it is out of local memory. */
    SENT,
    /** Nobody was subscribed. */
    NO_SUBSCRIBER,
    /** It was discarded before every subscriber had begun to be sent it. */
    DISCARDED,
    /** A subscription ended, or was made to skip, before it had been sent it. */
    LOST;

    static DataOutStatus of(io.rocketbufs.delivery.DataOutStatus core) {
        return switch (core) {
            case SENT -> SENT;
            case NO_SUBSCRIBER -> NO_SUBSCRIBER;
            case DISCARDED -> DISCARDED;
            case LOST -> LOST;
        };
    }
}

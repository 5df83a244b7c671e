package io.rocketbufs.rocketlog.protocol;

/** The kinds of refusals, for use by programs. The accompanying text is for people. */
public enum LogRefusal {
    /** The topic does not exist. */
    NO_SUCH_TOPIC(1),
    /** A topic with this name exists, and has a different number of partitions. */
    TOPIC_EXISTS(2),
    /** The request contains an invalid name or number. */
    INVALID(3),
    /** A limit of the broker has been reached. */
    LIMIT(4),
    /** The disk is full, or has failed. */
    STORAGE(5),
    /** The partition has not reached this offset yet. */
    NO_SUCH_OFFSET(6),
    /** The broker cannot fulfill the request now, but may be able to do so later. */
    NOT_NOW(7),
    /** The broker's settings do not permit the request. */
    DENIED(8),
    /**
     * The broker's settings permit access to the memory, but the broker cannot provide it. The client may use a buffer
     * instead.
     */
    MODE_UNAVAILABLE(9),
    /** A kind that this version does not recognize. */
    OTHER(0);

    private final int code;

    LogRefusal(int code) {
        this.code = code;
    }

    /** Returns the number that represents the kind in messages. */
    int code() {
        return code;
    }

    static LogRefusal of(int code) {
        for (LogRefusal each : values()) {
            if (each.code == code) {
                return each;
            }
        }
        return OTHER;
    }
}

package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.rocketnet.TransportException;

/** The ways in which producers write batches into the memory of a log. */
public enum LeaseMode {
    /** A single producer writes batches one after another. */
    EXCLUSIVE(1),
    /** Several producers write at the same time, each to places that it has reserved by means of the order word. */
    SHARED(2);

    private final int code;

    LeaseMode(int code) {
        this.code = code;
    }

    /** Returns the number that represents the mode in messages. */
    int code() {
        return code;
    }

    /** Returns the mode with the given number. */
    static LeaseMode of(int code) {
        for (LeaseMode mode : values()) {
            if (mode.code == code) {
                return mode;
            }
        }
        throw new TransportException(
                TransportException.Code.PROTOCOL,
                "malformed message of rocketlog's protocol: unknown lease mode " + code);
    }
}

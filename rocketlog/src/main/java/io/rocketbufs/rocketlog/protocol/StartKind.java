package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.rocketnet.TransportException;

/** The ways in which a client specifies the first record to read from a partition. */
public enum StartKind {
    /** Starts with the record at a given offset. */
    OFFSET(0),
    /** Starts with the first record in the log whose timestamp is at or after a given time. */
    TIME(1),
    /** Starts with the oldest record of the partition. */
    EARLIEST(2),
    /** Starts with the next record that is appended. */
    LATEST(3);

    private final int code;

    StartKind(int code) {
        this.code = code;
    }

    /** Returns the number that represents the kind in messages. */
    public int code() {
        return code;
    }

    /** Returns the kind with the given number. */
    static StartKind of(int code) {
        for (StartKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new TransportException(
                TransportException.Code.PROTOCOL,
                "malformed message of rocketlog's protocol: unknown kind of start " + code);
    }
}

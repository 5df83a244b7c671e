package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.protocol.StartKind;
import java.time.Instant;

/**
 * The record at which a consumer starts reading a partition.
 *
 * @param kind the meaning of the value
 * @param value an offset, or a time in milliseconds since 1970, depending on the kind; 0 for the other kinds
 */
public record ConsumerStart(StartKind kind, long value) {
    /** Starts with the oldest record. */
    public static final ConsumerStart EARLIEST = new ConsumerStart(StartKind.EARLIEST, 0);

    /** Starts with the first record that is appended after the consumer has been opened. */
    public static final ConsumerStart LATEST = new ConsumerStart(StartKind.LATEST, 0);

    /** Checks that the value is valid for the kind. */
    public ConsumerStart {
        if (kind == StartKind.OFFSET && value < 0) {
            throw new IllegalArgumentException("the offset must not be negative: offset=" + value);
        }
    }

    /**
     * Returns a start at the given offset, which may also be the offset of the next record to be appended.
     *
     * @throws IllegalArgumentException if the offset is negative
     */
    public static ConsumerStart at(long offset) {
        return new ConsumerStart(StartKind.OFFSET, offset);
    }

    /**
     * Returns a start at the first record whose timestamp is at or after the given time, or at the next appended record
     * if there is none. Later records can have earlier timestamps, because producers set the timestamps.
     */
    public static ConsumerStart at(Instant time) {
        return new ConsumerStart(StartKind.TIME, time.toEpochMilli());
    }
}

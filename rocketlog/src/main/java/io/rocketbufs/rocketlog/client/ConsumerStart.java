package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.protocol.StartKind;
import java.time.Instant;

/**
 * The record with which a consumer begins in a partition.
 *
 * @param kind the meaning of the value
 * @param value an offset, or milliseconds since 1970; 0 for the other kinds
 */
public record ConsumerStart(StartKind kind, long value) {
    /** Begins with the oldest record. */
    public static final ConsumerStart EARLIEST = new ConsumerStart(StartKind.EARLIEST, 0);

    /** Begins with the first record that is appended after the consumer has been opened. */
    public static final ConsumerStart LATEST = new ConsumerStart(StartKind.LATEST, 0);

    /** Checks the value. */
    public ConsumerStart {
        if (kind == StartKind.OFFSET && value < 0) {
            throw new IllegalArgumentException("the offset must not be negative: offset=" + value);
        }
    }

    /**
     * Begins with the record at an offset, which may be the offset of the next record to be appended.
     *
     * @throws IllegalArgumentException if the offset is negative
     */
    public static ConsumerStart at(long offset) {
        return new ConsumerStart(StartKind.OFFSET, offset);
    }

    /**
     * Begins with the first record whose timestamp is at or after a time, or with the next appended record if there is
     * none. Records after it can have earlier timestamps, because producers set them.
     */
    public static ConsumerStart at(Instant time) {
        return new ConsumerStart(StartKind.TIME, time.toEpochMilli());
    }
}

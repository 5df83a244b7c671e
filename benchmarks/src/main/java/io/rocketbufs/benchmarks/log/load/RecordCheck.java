package io.rocketbufs.benchmarks.log.load;

import java.nio.ByteBuffer;

/**
 * A check of the records that a consumer receives. Each record must start with its number and have the expected length.
 *
 * <p><b>Thread-safety:</b> confined to one thread.
 */
final class RecordCheck {
    private final int size;
    private long next;
    private long faults;

    /** Creates a check for records of the given length in bytes, numbered from 0. */
    RecordCheck(int size) {
        this.size = size;
    }

    /** Writes a record's number into its value. */
    static void write(byte[] value, long number) {
        ByteBuffer.wrap(value).putLong(0, number);
    }

    /** Checks a record, whose value is between the buffer's position and limit. */
    void accept(ByteBuffer value) {
        if (value == null || value.remaining() != size || value.getLong(value.position()) != next) {
            faults++;
        }
        next++;
    }

    /** Restarts the numbering at 0. */
    void restart() {
        next = 0;
    }

    /** Returns the number of the next record. */
    long next() {
        return next;
    }

    /** Counts records that did not arrive. */
    void miss(long count) {
        faults += count;
    }

    /** Returns the number of records that were lost, duplicated, out of order or damaged. */
    long faults() {
        return faults;
    }
}

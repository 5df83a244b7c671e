package io.rocketbufs.rocketlog.protocol;

import java.nio.ByteBuffer;

/**
 * The layout of the messages for consumers that wait for records, after the common header, which
 * {@link LogMessageLayout} describes:
 *
 * <pre>
 *  WAIT    for each partition: {int32 slot, int64 offset of the first record that the consumer has not read}
 *  READY   empty
 * </pre>
 *
 * <p>The broker sends READY as soon as one of these records can be read, or one of the segments has ended. An offset
 * beyond the end of the log is treated as the end, so the next record ends the wait. READY ends all waits of the
 * client. A WAIT adds to the existing waits, and replaces existing waits for the same slots. Both messages have the
 * correlation number 0, because a client polls after every READY, even a READY for an earlier WAIT.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class WaitMessageLayout {
    private static final int OFFSET = Integer.BYTES;
    private static final int ENTRY_LENGTH = OFFSET + Long.BYTES;

    private WaitMessageLayout() {}

    /**
     * Begins a WAIT message for the given number of partitions. The caller must then add each partition with
     * {@link #add}.
     */
    public static ByteBuffer begin(int count) {
        return LogMessageLayout.begin(LogMessageType.WAIT, 0, count * ENTRY_LENGTH);
    }

    /** Adds a partition to a WAIT message. */
    public static void add(ByteBuffer wait, int slot, long offset) {
        wait.putInt(slot).putLong(offset);
    }

    /** Returns the number of partitions in a WAIT message. */
    public static int count(ByteBuffer wait) {
        int length = LogMessageLayout.at(wait, LogMessageLayout.BODY, 0).remaining();
        LogMessageLayout.end(LogMessageLayout.at(wait, LogMessageLayout.BODY + length - length % ENTRY_LENGTH, 0));
        return length / ENTRY_LENGTH;
    }

    /** Returns the slot of a partition in a WAIT message. It can have any value. */
    public static int slot(ByteBuffer wait, int index) {
        return LogMessageLayout.at(wait, entry(index), Integer.BYTES).getInt();
    }

    /** Returns the offset of a partition in a WAIT message. It can have any value. */
    public static long offset(ByteBuffer wait, int index) {
        return LogMessageLayout.at(wait, entry(index) + OFFSET, Long.BYTES).getLong();
    }

    private static int entry(int index) {
        return LogMessageLayout.BODY + index * ENTRY_LENGTH;
    }

    /** Returns a READY message. */
    public static ByteBuffer ready() {
        return LogMessageLayout.begin(LogMessageType.READY, 0, 0).flip();
    }
}

package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The plain text that a connection has to send, split into records. Short ranges are copied into one record until the
 * record is full or contains all the data. Long ranges are encrypted without a copy.
 *
 * <p><b>Thread-safety:</b> one caller at a time.
 */
final class TlsPlainText {
    /** Length in bytes of the memory that this object needs: the plain text of one record and a frame's header. */
    static final int MEMORY_LENGTH = TlsEngine.PLAIN_LENGTH + TcpFrameLayout.HEADER_LENGTH;

    private static final int HEADER_OFFSET = TlsEngine.PLAIN_LENGTH;

    private final ByteBuffer memory;
    private final long memoryAddress;
    private final Vecs ranges = new Vecs(1 + TcpSocket.VECS_PER_WRITE);
    private int range;
    private int taken;
    private long rest;

    private long recordAddress;
    private int recordLength;

    /**
     * Creates an empty plain text.
     *
     * @param memory {@link #MEMORY_LENGTH} bytes
     */
    TlsPlainText(ByteBuffer memory, long address) {
        this.memory = memory.order(ByteOrder.BIG_ENDIAN);
        memoryAddress = address;
    }

    /** Replaces the plain text with a frame's header and ranges. */
    void set(long header, Vecs vecs) {
        memory.putLong(HEADER_OFFSET, header);
        set(memory, HEADER_OFFSET, TcpFrameLayout.HEADER_LENGTH, memoryAddress + HEADER_OFFSET);
        for (int i = 0; i < vecs.count(); i++) {
            ranges.add(vecs.window(i), vecs.offset(i), vecs.length(i), vecs.address(i));
        }
        rest += vecs.totalLength();
    }

    /** Replaces the plain text with one range. */
    void set(ByteBuffer window, int offset, int length, long address) {
        ranges.clear();
        ranges.add(window, offset, length, address);
        range = 0;
        taken = 0;
        rest = length;
    }

    /** Returns the number of bytes that have not been put into a record. */
    long rest() {
        return rest;
    }

    /** Skips bytes; {@code count} must not exceed the length of the first range. */
    void skip(int count) {
        taken += count;
        rest -= count;
    }

    /** Selects the plain text of the next record. At least one byte must remain. */
    void nextRecord() {
        int wanted = (int) Math.min(rest, TlsEngine.PLAIN_LENGTH);
        leaveEmptyRanges();
        if (ranges.length(range) - taken >= wanted) {
            recordAddress = ranges.address(range) + taken;
            taken += wanted;
        } else {
            recordAddress = memoryAddress;
            copy(wanted);
        }
        recordLength = wanted;
        rest -= wanted;
    }

    private void leaveEmptyRanges() {
        while (ranges.length(range) == taken) {
            range++;
            taken = 0;
        }
    }

    private void copy(int wanted) {
        int copied = 0;
        while (copied < wanted) {
            leaveEmptyRanges();
            int length = Math.min(wanted - copied, ranges.length(range) - taken);
            memory.put(copied, ranges.window(range), ranges.offset(range) + taken, length);
            copied += length;
            taken += length;
        }
    }

    /** Returns the address of the current record's plain text. */
    long recordAddress() {
        return recordAddress;
    }

    /** Returns the length in bytes of the current record's plain text. */
    int recordLength() {
        return recordLength;
    }
}

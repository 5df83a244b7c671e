package io.rocketbufs.rocketlog.cli;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An output that collects formatted records, and writes many of them with a single call.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class RecordOutput {
    private static final int FLUSH_LENGTH = 1 << 16;

    private final PrintStream out;
    private final RecordFormat format;
    private byte[] bytes = new byte[2 * FLUSH_LENGTH];
    private int length;
    private boolean hasFailed;

    RecordOutput(PrintStream out, RecordFormat format) {
        this.out = out;
        this.format = format;
    }

    /** Adds a record. Returns false if the output can no longer be written. */
    boolean add(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
        format.write(partition, offset, timestamp, key, value, this);
        return length < FLUSH_LENGTH || flush();
    }

    /** Writes the collected records. Returns false if the output can no longer be written. */
    boolean flush() {
        if (length > 0 && !hasFailed) {
            out.write(bytes, 0, length);
            hasFailed = out.checkError();
        }
        length = 0;
        return !hasFailed;
    }

    /** Appends a byte of the current record. */
    void put(byte single) {
        reserve(1);
        bytes[length] = single;
        length++;
    }

    /** Appends bytes of the current record. */
    void put(byte[] part) {
        reserve(part.length);
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
    }

    /** Appends the remaining bytes of a buffer to the current record. Does not change the buffer's position. */
    void put(ByteBuffer part) {
        int count = part.remaining();
        reserve(count);
        part.get(part.position(), bytes, length, count);
        length += count;
    }

    private void reserve(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(length, count)));
        }
    }
}

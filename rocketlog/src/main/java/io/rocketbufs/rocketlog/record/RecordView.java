package io.rocketbufs.rocketlog.record;

import java.nio.ByteBuffer;

/**
 * A view of one record in an uncompressed batch. The record is read in place. The view can be moved from record to
 * record and from batch to batch without allocation.
 *
 * <pre>
 *  +--------+------------+-----------------+--------------+------------+-----+--------------+-------+--------------+
 *  | varint | int8       | varint          | varint       | varint     | key | varint       | value | varint count |
 *  | length | attributes | timestamp delta | offset delta | key length |     | value length |       | of headers   |
 *  +--------+------------+-----------------+--------------+------------+-----+--------------+-------+--------------+
 *  headers: {varint key length, key, varint value length, value} ...     A length of -1 represents null.
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> the buffer belongs to the caller. The view reads at the
 * buffer's own position, and advances it past the record.
 */
public final class RecordView {
    /** Length of a key or value that is null. */
    public static final int NULL = -1;

    /** The number that {@link Varint#read} read last. */
    long number;

    private long timestampDelta;
    private long offsetDelta;
    private int keyPosition;
    private int keyLength;
    private int valuePosition;
    private int valueLength;

    /**
     * Reads the record at the buffer's position, and advances the position past it.
     *
     * @return false if the bytes from the position to the limit do not start with a well-formed record. The position is
     *     then undefined.
     */
    public boolean read(ByteBuffer buffer) {
        if (!Varint.read(buffer, this) || number <= 0 || number > buffer.remaining()) {
            return false;
        }
        int end = buffer.position() + (int) number;
        int limit = buffer.limit();
        buffer.limit(end);
        boolean isWellFormed = readFields(buffer) && buffer.position() == end;
        buffer.limit(limit);
        return isWellFormed;
    }

    private boolean readFields(ByteBuffer buffer) {
        buffer.get(); // Kafka uses no record attributes
        if (!Varint.read(buffer, this)) {
            return false;
        }
        timestampDelta = number;
        if (!Varint.read(buffer, this)) {
            return false;
        }
        offsetDelta = number;
        if (!skipBytes(buffer, NULL)) {
            return false;
        }
        keyLength = (int) number;
        keyPosition = buffer.position() - Math.max(keyLength, 0);
        if (!skipBytes(buffer, NULL)) {
            return false;
        }
        valueLength = (int) number;
        valuePosition = buffer.position() - Math.max(valueLength, 0);
        return readHeaders(buffer);
    }

    private boolean readHeaders(ByteBuffer buffer) {
        if (!Varint.read(buffer, this) || number < 0 || number > buffer.remaining()) {
            return false;
        }
        long count = number;
        for (long i = 0; i < count; i++) {
            if (!skipBytes(buffer, 0) || !skipBytes(buffer, NULL)) {
                return false;
            }
        }
        return true;
    }

    /** Skips a length field and the bytes that it counts. Stores the length in {@link #number}. */
    private boolean skipBytes(ByteBuffer buffer, int shortest) {
        if (!Varint.read(buffer, this) || number < shortest || number > buffer.remaining()) {
            return false;
        }
        buffer.position(buffer.position() + (int) Math.max(number, 0));
        return true;
    }

    /** Returns the record's time in milliseconds, relative to the batch's base timestamp. */
    public long timestampDelta() {
        return timestampDelta;
    }

    /** Returns the record's offset, relative to the batch's base offset. */
    public long offsetDelta() {
        return offsetDelta;
    }

    /** Returns the position of the key in the buffer. */
    public int keyPosition() {
        return keyPosition;
    }

    /** Returns the length of the key in bytes, or {@link #NULL}. */
    public int keyLength() {
        return keyLength;
    }

    /** Returns the position of the value in the buffer. */
    public int valuePosition() {
        return valuePosition;
    }

    /** Returns the length of the value in bytes, or {@link #NULL}. */
    public int valueLength() {
        return valueLength;
    }
}

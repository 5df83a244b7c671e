package io.rocketbufs.rocketlog.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A builder of uncompressed record batches. It builds one batch at a time, in place in the caller's memory.
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> the memory belongs to the caller, which must not use it
 * between {@link #begin} and {@link #finish}. After construction, the builder allocates nothing.
 */
public final class BatchBuilder {
    /** Length of a record's attributes (one byte) and of its header count, which is 0 (another byte). */
    private static final int FIXED_LENGTH = 2;

    /** Length of the shortest record, including the length field. Each of its variable-length integers has one byte. */
    private static final int SHORTEST_RECORD = FIXED_LENGTH + 5;

    private final CRC32C crc32c = new CRC32C();
    private ByteBuffer buffer;
    private int batch;
    private int count;
    private long baseTimestamp;
    private long largestTimestamp;
    private long producerId;
    private short producerEpoch;
    private int baseSequence;

    /**
     * Begins a batch at the buffer's position. The batch may extend to the buffer's limit.
     *
     * @throws IllegalArgumentException if the buffer is too short for the batch header, or is not big-endian
     */
    public BatchBuilder begin(ByteBuffer target) {
        if (target.remaining() < RecordBatchLayout.HEADER_LENGTH || target.order() != ByteOrder.BIG_ENDIAN) {
            throw new IllegalArgumentException("a batch needs " + RecordBatchLayout.HEADER_LENGTH
                    + " big-endian bytes: remaining=" + target.remaining() + ", order=" + target.order());
        }
        buffer = target;
        batch = target.position();
        target.position(batch + RecordBatchLayout.HEADER_LENGTH);
        count = 0;
        return producer(RecordBatchLayout.NO_PRODUCER, (short) RecordBatchLayout.NO_PRODUCER, -1);
    }

    /** Sets the producer of the current batch, and the sequence of its first record. */
    public BatchBuilder producer(long id, short epoch, int firstSequence) {
        producerId = id;
        producerEpoch = epoch;
        baseSequence = firstSequence;
        return this;
    }

    /**
     * Adds a record to the current batch. Copies the remaining bytes of the key and the value, and leaves the positions
     * of both buffers unchanged.
     *
     * @param timestamp milliseconds since 1970, not negative
     * @param key may be null
     * @param value may be null
     * @return false if the record does not fit; the batch is then unchanged
     */
    public boolean add(long timestamp, ByteBuffer key, ByteBuffer value) {
        long timestampDelta = count == 0 ? 0 : timestamp - baseTimestamp;
        long length = (long) FIXED_LENGTH
                + Varint.length(timestampDelta)
                + Varint.length(count)
                + length(key)
                + length(value);
        if (Varint.length(length) + length > buffer.remaining()) {
            return false;
        }
        if (count == 0) {
            baseTimestamp = timestamp;
            largestTimestamp = timestamp;
        }
        Varint.put(buffer, length);
        buffer.put((byte) 0);
        Varint.put(buffer, timestampDelta);
        Varint.put(buffer, count);
        put(key);
        put(value);
        Varint.put(buffer, 0);
        largestTimestamp = Math.max(largestTimestamp, timestamp);
        count++;
        return true;
    }

    /** Returns true if the current batch may have space for another record. */
    public boolean hasSpace() {
        return buffer.remaining() >= SHORTEST_RECORD;
    }

    /** Returns the number of records in the current batch. */
    public int count() {
        return count;
    }

    /**
     * Completes the batch: writes its header, and sets the buffer's position to the end of the batch.
     *
     * @return the batch's length in bytes
     * @throws IllegalStateException if the batch has no records
     */
    public int finish() {
        if (count == 0) {
            throw new IllegalStateException("a batch needs at least one record: count=0");
        }
        int length = buffer.position() - batch;
        RecordBatchLayout.assign(buffer, batch, RecordBatchLayout.NOT_ASSIGNED, RecordBatchLayout.NOT_ASSIGNED);
        RecordBatchLayout.setLength(buffer, batch, length);
        RecordBatchLayout.setMagic(buffer, batch);
        RecordBatchLayout.setAttributes(buffer, batch, 0);
        RecordBatchLayout.setTimestamps(buffer, batch, baseTimestamp, largestTimestamp);
        RecordBatchLayout.setProducer(buffer, batch, producerId, producerEpoch, baseSequence);
        RecordBatchLayout.setCount(buffer, batch, count);
        RecordBatchLayout.setCrc(buffer, batch, RecordBatchLayout.crcOf(buffer, batch, length, crc32c));
        return length;
    }

    private static long length(ByteBuffer bytes) {
        return bytes == null ? Varint.length(RecordView.NULL) : Varint.length(bytes.remaining()) + bytes.remaining();
    }

    private void put(ByteBuffer bytes) {
        if (bytes == null) {
            Varint.put(buffer, RecordView.NULL);
            return;
        }
        int length = bytes.remaining();
        Varint.put(buffer, length);
        buffer.put(buffer.position(), bytes, bytes.position(), length);
        buffer.position(buffer.position() + length);
    }
}

package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.record.BatchCheck;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketlog.record.RecordView;
import java.nio.ByteBuffer;

/**
 * A part of a segment that a consumer has read, with the consumer's place in it. Each batch is checked before its first
 * record is delivered: its length, version, and CRC must be valid, and its offsets must follow those of the previous
 * batch.
 *
 * <p><i>Thread-safety:</i> one thread. Reading records allocates no memory.
 */
final class FetchedBatches {
    private final BatchCheck check = new BatchCheck(Integer.MAX_VALUE);
    private final RecordView record = new RecordView();
    private ByteBuffer buffer;
    private ByteBuffer key;
    private ByteBuffer value;
    /** Position of the buffer's first byte in the segment. */
    private long start;
    /** Index of the current batch in the buffer, or of the next batch if no records are left. */
    private int batch;

    private int batchEnd;
    private int nextRecord;
    private int recordCount;
    private int recordsLeft;
    /**
     * The offset after the previous batch of the segment, even if its records were skipped; 0 if there is no previous
     * batch.
     */
    private long passedOffset;

    /** Position in the segment from which each batch must start exactly with the offset that is due. */
    private long exactFrom = Long.MAX_VALUE;

    private String problem;

    FetchedBatches() {
        use(ByteBuffer.allocate(0));
    }

    /** Sets the buffer, which must be empty and big-endian. */
    void use(ByteBuffer memory) {
        buffer = memory;
        key = memory.asReadOnlyBuffer();
        value = memory.asReadOnlyBuffer();
        reset(0, 0);
    }

    int capacity() {
        return buffer.capacity();
    }

    /**
     * Discards all bytes, and starts reading another segment.
     *
     * @param position position of the next batch in the segment
     * @param exact position from which each batch must start with the offset that is due: the offset after the previous
     *     batch or, for the first batch, the offset to read. A batch before this position may start with an earlier
     *     offset.
     */
    void begin(long position, long exact) {
        clear(position);
        passedOffset = 0;
        exactFrom = exact;
    }

    /** Discards all bytes, and continues with the batch at the given position in the same segment. */
    void clear(long position) {
        reset(position, 0);
    }

    private void reset(long position, int length) {
        start = position;
        batch = 0;
        recordsLeft = 0;
        problem = null;
        buffer.limit(length);
    }

    /**
     * Moves the bytes of an incomplete batch to the start of the buffer.
     *
     * @return the number of these bytes, after which the next bytes of the segment must be stored
     */
    int keepRest() {
        int rest = buffer.limit() - batch;
        long position = position();
        buffer.position(batch).compact();
        reset(position, rest);
        return rest;
    }

    /** Adds the bytes that have been read into the buffer after the bytes kept by {@link #keepRest}. */
    void added(int length) {
        buffer.limit(buffer.limit() + length);
    }

    /** Returns the current batch's position in the segment, or the next batch's position if no records are left. */
    long position() {
        return start + batch;
    }

    /** Returns the position in the segment after the last byte in the buffer. */
    long end() {
        return start + buffer.limit();
    }

    /** Returns true if the buffer contains another record of the current batch, or another complete batch. */
    boolean hasMore() {
        return recordsLeft > 0 || neededLength() <= buffer.limit() - batch;
    }

    /**
     * Returns the number of bytes that must be read for the next batch: the length of the batch if it is known,
     * otherwise the length of a header.
     */
    int neededLength() {
        if (buffer.limit() - batch < RecordBatchLayout.HEADER_LENGTH) {
            return RecordBatchLayout.HEADER_LENGTH;
        }
        long length = RecordBatchLayout.length(buffer, batch);
        boolean isPossible = length >= RecordBatchLayout.HEADER_LENGTH && length <= Integer.MAX_VALUE;
        return isPossible ? (int) length : RecordBatchLayout.HEADER_LENGTH; // the batch check reports the defect
    }

    /**
     * Moves to the next record with at least the given offset.
     *
     * @return false if the buffer contains no further complete batch, or if there is a {@link #problem}
     */
    boolean next(long offset) {
        while (problem == null && hasMore()) {
            if (recordsLeft == 0) {
                beginBatch(offset);
            } else if (!readRecord()) {
                problem = "record " + (recordCount - recordsLeft) + " of the batch is malformed";
            } else if (offset() >= offset) {
                return true;
            } else {
                consumed();
            }
        }
        return false;
    }

    private void beginBatch(long offset) {
        BatchVerdict verdict = check.checkStored(buffer.position(batch));
        int attributes = verdict == BatchVerdict.VALID ? RecordBatchLayout.attributes(buffer, batch) : 0;
        if (verdict != BatchVerdict.VALID) {
            problem = "the batch is invalid: " + verdict.reason();
        } else if (!beginsWhereItMust(offset)) {
            problem = "the batch begins with offset " + RecordBatchLayout.baseOffset(buffer, batch) + " instead of "
                    + (position() < exactFrom ? offset + " or less" : due(offset));
        } else if ((attributes & RecordBatchLayout.COMPRESSION) != 0) {
            problem = "the batch is compressed, which consumers do not support";
        } else {
            batchEnd = batch + (int) RecordBatchLayout.length(buffer, batch);
            nextRecord = batch + RecordBatchLayout.HEADER_LENGTH;
            recordCount = RecordBatchLayout.count(buffer, batch);
            recordsLeft = recordCount;
            boolean isControl = (attributes & RecordBatchLayout.CONTROL) != 0;
            if (isControl || RecordBatchLayout.lastOffset(buffer, batch) < offset) {
                recordsLeft = 0;
                leaveBatch();
            }
        }
    }

    /** Returns true if the base offset, which the CRC does not cover, is as expected. */
    private boolean beginsWhereItMust(long offset) {
        long baseOffset = RecordBatchLayout.baseOffset(buffer, batch);
        return position() < exactFrom ? baseOffset <= Math.max(offset, passedOffset) : baseOffset == due(offset);
    }

    private long due(long offset) {
        return passedOffset > 0 ? passedOffset : offset;
    }

    private boolean readRecord() {
        int limit = buffer.limit();
        buffer.limit(batchEnd).position(nextRecord);
        boolean isWellFormed = record.read(buffer) && record.offsetDelta() == recordCount - recordsLeft;
        buffer.limit(limit);
        return isWellFormed;
    }

    /** Advances past the current record. */
    void consumed() {
        nextRecord = buffer.position();
        recordsLeft--;
        if (recordsLeft == 0) {
            leaveBatch();
        }
    }

    private void leaveBatch() {
        passedOffset = RecordBatchLayout.lastOffset(buffer, batch) + 1;
        batch = batchEnd;
    }

    /** Returns the offset of the current record. */
    long offset() {
        return RecordBatchLayout.baseOffset(buffer, batch) + record.offsetDelta();
    }

    /** Returns the timestamp of the current record in milliseconds since 1970. */
    long timestamp() {
        return RecordBatchLayout.baseTimestamp(buffer, batch) + record.timestampDelta();
    }

    /** Returns the key of the current record, or null if it has none. The buffer is reused for the next record. */
    ByteBuffer key() {
        return part(key, record.keyPosition(), record.keyLength());
    }

    /** Returns the value of the current record, or null if it has none. The buffer is reused for the next record. */
    ByteBuffer value() {
        return part(value, record.valuePosition(), record.valueLength());
    }

    private static ByteBuffer part(ByteBuffer view, int position, int length) {
        return length == RecordView.NULL ? null : view.limit(position + length).position(position);
    }

    /** Records a problem with the batch at {@link #position}. */
    void fail(String reason) {
        problem = reason;
    }

    /** Returns the problem with the batch at {@link #position}, or null if there is none. */
    String problem() {
        return problem;
    }
}

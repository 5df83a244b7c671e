package io.rocketbufs.rocketlog.record;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A validator of record batches. Regardless of the values of a batch's fields, it returns a verdict, reads only the
 * given bytes, and allocates nothing.
 *
 * <p>The CRC of a compressed batch is checked, but its records are not, because this would require decompression. The
 * number of records in a valid batch does not exceed the length of the longest batch in bytes.
 *
 * <p><i>Thread-safety:</i> one thread, because the CRC is computed in a field. <i>Ownership:</i> the bytes belong to
 * the caller, and must not change during a check, except in {@link #check(ByteBuffer, int, ByteBuffer)}.
 */
public final class BatchCheck {
    private final CRC32C crc32c = new CRC32C();
    private final RecordView record = new RecordView();
    private final int longestBatch;

    /**
     * Creates a validator.
     *
     * @param longestBatch length of the longest valid batch in bytes
     */
    public BatchCheck(int longestBatch) {
        this.longestBatch = longestBatch;
    }

    /**
     * Checks the header, CRC and records of a producer's batch at the buffer's position. The buffer may contain more
     * bytes after the batch. The base offset and the leader epoch are not checked, because the log assigns them. The
     * buffer's position and limit stay unchanged.
     */
    public BatchVerdict check(ByteBuffer buffer) {
        return check(buffer, buffer.position(), buffer);
    }

    /**
     * Checks a batch as {@link #check(ByteBuffer)} does, in memory to which a peer can still write. Reads the header
     * from a copy, so that this method and the caller see the same fields. If the verdict is VALID, the records matched
     * the CRC in the header when the CRC was computed. If records change during the check, the verdict is arbitrary.
     *
     * @param header the copy of the header
     * @param at position of the copy in {@code header}
     * @param buffer contains the batch at its position
     */
    public BatchVerdict check(ByteBuffer header, int at, ByteBuffer buffer) {
        BatchVerdict verdict = checkStored(header, at, buffer);
        if (verdict != BatchVerdict.VALID) {
            return verdict;
        }
        int attributes = RecordBatchLayout.attributes(header, at);
        if ((attributes & RecordBatchLayout.CONTROL) != 0) {
            return BatchVerdict.CONTROL_BATCH;
        }
        return (attributes & RecordBatchLayout.COMPRESSION) == 0
                ? checkRecords(header, at, buffer)
                : BatchVerdict.VALID;
    }

    /**
     * Checks the header and the CRC of a stored batch at the buffer's position. Does not check the records, which were
     * valid when the batch was stored. The buffer's position and limit stay unchanged.
     */
    public BatchVerdict checkStored(ByteBuffer buffer) {
        return checkStored(buffer, buffer.position(), buffer);
    }

    private BatchVerdict checkStored(ByteBuffer header, int at, ByteBuffer buffer) {
        if (buffer.remaining() < RecordBatchLayout.HEADER_LENGTH) {
            return BatchVerdict.TRUNCATED;
        }
        BatchVerdict prefix = checkPrefix(header, at);
        if (prefix != BatchVerdict.VALID) {
            return prefix;
        }
        long length = RecordBatchLayout.length(header, at);
        if (length > buffer.remaining()) {
            return BatchVerdict.TRUNCATED;
        }
        int crc = RecordBatchLayout.crcOf(header, at, buffer, buffer.position(), (int) length, crc32c);
        return crc == RecordBatchLayout.crc(header, at) ? checkFields(header, at) : BatchVerdict.BAD_CRC;
    }

    /**
     * Checks the header of the batch at the buffer's position: the length, the version, and the fields on which the log
     * relies, but not the CRC. The buffer need not contain the records. Its position and limit stay unchanged.
     */
    public BatchVerdict checkHeader(ByteBuffer buffer) {
        int batch = buffer.position();
        if (buffer.remaining() < RecordBatchLayout.HEADER_LENGTH) {
            return BatchVerdict.TRUNCATED;
        }
        BatchVerdict verdict = checkPrefix(buffer, batch);
        return verdict == BatchVerdict.VALID ? checkFields(buffer, batch) : verdict;
    }

    private BatchVerdict checkPrefix(ByteBuffer buffer, int batch) {
        long length = RecordBatchLayout.length(buffer, batch);
        if (length < RecordBatchLayout.HEADER_LENGTH || length > longestBatch) {
            return BatchVerdict.BAD_LENGTH;
        }
        return RecordBatchLayout.magic(buffer, batch) == RecordBatchLayout.MAGIC
                ? BatchVerdict.VALID
                : BatchVerdict.BAD_MAGIC;
    }

    private BatchVerdict checkFields(ByteBuffer buffer, int batch) {
        int attributes = RecordBatchLayout.attributes(buffer, batch);
        if ((attributes & ~RecordBatchLayout.KNOWN_ATTRIBUTES) != 0
                || (attributes & RecordBatchLayout.COMPRESSION) > RecordBatchLayout.LAST_COMPRESSION) {
            return BatchVerdict.BAD_ATTRIBUTES;
        }
        int count = RecordBatchLayout.count(buffer, batch);
        if (count <= 0 || count > longestBatch || RecordBatchLayout.lastOffsetDelta(buffer, batch) != count - 1) {
            return BatchVerdict.BAD_COUNT;
        }
        long baseTimestamp = RecordBatchLayout.baseTimestamp(buffer, batch);
        if (baseTimestamp < 0 || RecordBatchLayout.largestTimestamp(buffer, batch) < baseTimestamp) {
            return BatchVerdict.BAD_TIMESTAMP;
        }
        return checkProducer(buffer, batch);
    }

    private static BatchVerdict checkProducer(ByteBuffer buffer, int batch) {
        long id = RecordBatchLayout.producerId(buffer, batch);
        int epoch = RecordBatchLayout.producerEpoch(buffer, batch);
        int sequence = RecordBatchLayout.baseSequence(buffer, batch);
        boolean isSet = id >= 0 && epoch >= 0 && sequence >= 0;
        boolean isAbsent = id == RecordBatchLayout.NO_PRODUCER
                && epoch == RecordBatchLayout.NO_PRODUCER
                && sequence == RecordBatchLayout.NO_PRODUCER;
        return isSet || isAbsent ? BatchVerdict.VALID : BatchVerdict.BAD_PRODUCER;
    }

    private BatchVerdict checkRecords(ByteBuffer header, int at, ByteBuffer buffer) {
        int batch = buffer.position();
        int limit = buffer.limit();
        int end = batch + (int) RecordBatchLayout.length(header, at);
        buffer.limit(end).position(batch + RecordBatchLayout.HEADER_LENGTH);
        BatchVerdict verdict = walk(header, at, buffer);
        if (verdict == BatchVerdict.VALID && buffer.position() != end) {
            verdict = BatchVerdict.BAD_RECORD;
        }
        buffer.limit(limit).position(batch);
        return verdict;
    }

    private BatchVerdict walk(ByteBuffer header, int at, ByteBuffer buffer) {
        int count = RecordBatchLayout.count(header, at);
        long longestDelta =
                RecordBatchLayout.largestTimestamp(header, at) - RecordBatchLayout.baseTimestamp(header, at);
        for (int i = 0; i < count; i++) {
            if (!record.read(buffer) || record.offsetDelta() != i) {
                return BatchVerdict.BAD_RECORD;
            }
            if (record.timestampDelta() > longestDelta) {
                return BatchVerdict.BAD_TIMESTAMP;
            }
        }
        return BatchVerdict.VALID;
    }
}

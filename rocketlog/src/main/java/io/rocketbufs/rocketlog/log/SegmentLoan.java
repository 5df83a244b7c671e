package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.record.BatchCheck;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The memory after the last batch of a log's head, lent to a peer that writes batches there. The log accepts the
 * batches one by one ({@link PartitionLog#commit}). The loan records checksums of their headers, which contain the
 * CRCs, because the peer can change accepted batches as long as it has access to the memory.
 *
 * <p>The memory is divided into 1024 parts of equal length. The loan keeps one checksum per part, which covers the
 * headers of all batches that begin there. The checksums therefore need 4 KiB, regardless of the number of batches.
 *
 * <p><i>Thread-safety:</i> one thread at a time. <i>Ownership:</i> the loan ends with {@link PartitionLog#takeBack},
 * but retains the memory until it is closed.
 */
public final class SegmentLoan implements AutoCloseable {
    private static final int PARTS = 1024;

    private final Segment segment;
    private final MappedFile file;
    private final Region region;
    private final ByteBuffer memory;
    private final int begin;
    private final long firstOffset;
    private final int leaderEpoch;
    private final ByteBuffer header = ByteBuffer.allocate(RecordBatchLayout.HEADER_LENGTH);
    private final int partLength;
    /** The checksum of the accepted headers in each part before the current one. */
    private final int[] accepted = new int[PARTS];
    /** The checksum of the accepted headers in the current part. */
    private final CRC32C headers = new CRC32C();

    private int part;
    /** Position after the last accepted batch. */
    private int end;

    private int count;

    SegmentLoan(Segment segment, MappedFile lent, int leaderEpoch) {
        this.segment = segment;
        this.file = lent;
        this.region = lent.region();
        this.memory = region.window(0, (int) lent.length());
        this.begin = (int) segment.end();
        this.end = begin;
        this.partLength = length() / PARTS + 1;
        this.firstOffset = segment.nextOffset();
        this.leaderEpoch = leaderEpoch;
    }

    /**
     * Returns the memory of the whole segment. To use the memory after this loan is closed, the caller must retain it.
     */
    public Region region() {
        return region;
    }

    /**
     * Returns the position in the region at which the first batch begins. The peer must not have access to earlier
     * bytes.
     */
    public int begin() {
        return begin;
    }

    /** Returns the number of bytes from {@link #begin} to the end of the segment. */
    public int length() {
        return memory.capacity() - begin;
    }

    /** Returns the position after the last accepted batch, counted from {@link #begin}. */
    public int end() {
        return end - begin;
    }

    /** Returns the number of accepted batches. */
    public int count() {
        return count;
    }

    Segment segment() {
        return segment;
    }

    /**
     * Checks the next batch, and copies its header.
     *
     * @param producerId id that the batch must have, or {@link RecordBatchLayout#NO_PRODUCER} for any id
     */
    BatchVerdict check(int length, long producerId, BatchCheck check, BatchLimits limits) {
        if (length < RecordBatchLayout.HEADER_LENGTH) {
            return BatchVerdict.TRUNCATED;
        }
        if (length > room()) {
            return BatchVerdict.BAD_LENGTH;
        }
        int position = (int) segment.end();
        ByteBuffer batch = memory.limit(position + length).position(position);
        header.put(0, memory, position, RecordBatchLayout.HEADER_LENGTH);
        if (RecordBatchLayout.length(header, 0) != length) {
            return BatchVerdict.BAD_LENGTH;
        }
        if (RecordBatchLayout.baseOffset(header, 0) != RecordBatchLayout.NOT_ASSIGNED
                || RecordBatchLayout.leaderEpoch(header, 0) != RecordBatchLayout.NOT_ASSIGNED) {
            return BatchVerdict.ASSIGNED;
        }
        BatchVerdict checked = check.check(header, 0, batch);
        if (checked != BatchVerdict.VALID) {
            return checked;
        }
        return producerId == RecordBatchLayout.NO_PRODUCER || producerId == RecordBatchLayout.producerId(header, 0)
                ? limits.check(header)
                : BatchVerdict.OTHER_PRODUCER;
    }

    /** Returns the number of bytes after the last batch. */
    int room() {
        return memory.capacity() - (int) segment.end();
    }

    /** Returns the header that was copied last. */
    ByteBuffer header() {
        return header;
    }

    /**
     * Sets the assigned fields of the next batch in place. The base offset is set last, because it completes the batch.
     */
    void assign(long baseOffset) {
        RecordBatchLayout.assign(header, 0, baseOffset, leaderEpoch);
        RecordBatchLayout.setLeaderEpoch(memory, memory.position(), leaderEpoch);
        RecordBatchLayout.setBaseOffset(memory, memory.position(), baseOffset);
    }

    /** Records the last accepted batch, whose header is in the given buffer. */
    void remember(ByteBuffer buffer, int batch, int length) {
        int beginsIn = (end - begin) / partLength;
        if (beginsIn != part) {
            accepted[part] = (int) headers.getValue();
            headers.reset();
            part = beginsIn;
        }
        RecordBatchLayout.updateWithHeader(headers, buffer, batch);
        end += length;
        count++;
    }

    /**
     * Returns an offset before which no batch has changed since it was accepted, or -1 if no batch has changed. The
     * first changed batch is in the part that begins with this offset. No peer may still have access to the memory, but
     * the loan may already have ended. Also returns -1 if another program has truncated the file, because nothing can
     * then be compared. In this case, the log has failed, or will fail when it detects the truncation.
     */
    public long changedOffset() {
        if (isTruncated()) {
            return -1;
        }
        CRC32C crc32c = new CRC32C();
        CRC32C found = new CRC32C();
        long offset = firstOffset;
        int position = begin;
        memory.clear();
        for (int i = 0; i <= part; i++) {
            long first = offset;
            int partEnd = i == part ? end : begin + (i + 1) * partLength;
            found.reset();
            while (position < partEnd) {
                if (!isWhole(position, offset, crc32c)) {
                    return first;
                }
                found.update(memory.slice(position, RecordBatchLayout.HEADER_LENGTH));
                offset = RecordBatchLayout.lastOffset(memory, position) + 1;
                position += (int) RecordBatchLayout.length(memory, position);
            }
            if ((int) found.getValue() != (i == part ? (int) headers.getValue() : accepted[i])) {
                return first;
            }
        }
        return -1;
    }

    /**
     * Returns true if the file is too short. Computing a CRC of memory beyond the file's end would crash the process.
     */
    private boolean isTruncated() {
        try {
            segment.requireWhole();
        } catch (IOException e) { // or retention has deleted and closed the file
            return segment.isTruncated();
        }
        return false;
    }

    private boolean isWhole(int position, long offset, CRC32C crc32c) {
        if (end - position < RecordBatchLayout.HEADER_LENGTH) {
            return false;
        }
        long length = RecordBatchLayout.length(memory, position);
        return length >= RecordBatchLayout.HEADER_LENGTH
                && length <= end - position
                && RecordBatchLayout.baseOffset(memory, position) == offset
                && RecordBatchLayout.crc(memory, position)
                        == RecordBatchLayout.crcOf(memory, position, (int) length, crc32c);
    }

    /** Releases the memory. */
    @Override
    public void close() {
        segment.unmap(file);
    }
}

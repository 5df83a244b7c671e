package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The memory of a log's head after its last batch, into which a peer writes batches. The log accepts them one by one
 * ({@link PartitionLog#commit}), and remembers their CRCs: the peer can change a batch that has been accepted for as
 * long as it has access to the memory.
 *
 * <p><i>Thread-safety:</i> one thread at a time. <i>Ownership:</i> ends with {@link PartitionLog#takeBack}, and keeps
 * the memory until it is closed.
 */
public final class SegmentLoan implements AutoCloseable {
    private static final int EXPECTED_COUNT = 256;

    private final Segment segment;
    private final MappedFile file;
    private final Region region;
    private final ByteBuffer memory;
    private final int begin;
    private final long firstOffset;
    private final int leaderEpoch;
    private final ByteBuffer header = ByteBuffer.allocate(RecordBatchLayout.HEADER_LENGTH);
    /** CRC and length of each accepted batch. */
    private long[] accepted = new long[EXPECTED_COUNT];

    private int count;

    SegmentLoan(Segment segment, MappedFile lent, int leaderEpoch) {
        this.segment = segment;
        this.file = lent;
        this.region = lent.region();
        this.memory = region.window(0, (int) lent.length());
        this.begin = (int) segment.end();
        this.firstOffset = segment.nextOffset();
        this.leaderEpoch = leaderEpoch;
    }

    /** Returns the memory of the whole segment. Retain it to use it after the end of this loan. */
    public Region region() {
        return region;
    }

    /** Returns the position in the region at which the first batch begins. The peer must have no access before it. */
    public int begin() {
        return begin;
    }

    /** Returns the number of bytes from there to the end of the segment. */
    public int length() {
        return memory.capacity() - begin;
    }

    /** Returns the number of accepted batches. */
    public int count() {
        return count;
    }

    Segment segment() {
        return segment;
    }

    /** Returns the bytes of the next batch, from position to limit. */
    ByteBuffer next(int length) {
        int position = (int) segment.end();
        return memory.limit(position + length).position(position);
    }

    /** Returns the number of bytes after the last batch. */
    int room() {
        return memory.capacity() - (int) segment.end();
    }

    /** Copies the header of the next batch, which must be complete, and returns the copy. */
    ByteBuffer copyHeader() {
        return header.put(0, memory, memory.position(), RecordBatchLayout.HEADER_LENGTH);
    }

    /** Returns the header that was copied last. */
    ByteBuffer header() {
        return header;
    }

    /** Sets the assigned fields of the next batch in place, the base offset last: with it, the batch is complete. */
    void assign(long baseOffset) {
        RecordBatchLayout.assign(header, 0, baseOffset, leaderEpoch);
        RecordBatchLayout.setLeaderEpoch(memory, memory.position(), leaderEpoch);
        RecordBatchLayout.setBaseOffset(memory, memory.position(), baseOffset);
    }

    /** Remembers the batch that has been accepted last. */
    void remember(int length) {
        if (count == accepted.length) {
            accepted = Arrays.copyOf(accepted, 2 * count);
        }
        accepted[count++] = (long) RecordBatchLayout.crc(header, 0) << Integer.SIZE | length;
    }

    /**
     * Returns the offset of the first batch that has changed since it was accepted, or -1 if there is none. No peer may
     * have access to the memory, which may have been taken back.
     */
    public long changedOffset() {
        CRC32C crc32c = new CRC32C();
        memory.clear();
        long offset = firstOffset;
        int position = begin;
        for (int i = 0; i < count; i++) {
            int length = (int) accepted[i];
            if (!isUnchanged(position, offset, length, (int) (accepted[i] >>> Integer.SIZE), crc32c)) {
                return offset;
            }
            offset = RecordBatchLayout.lastOffset(memory, position) + 1;
            position += length;
        }
        return -1;
    }

    private boolean isUnchanged(int position, long offset, int length, int crc, CRC32C crc32c) {
        return RecordBatchLayout.baseOffset(memory, position) == offset
                && RecordBatchLayout.length(memory, position) == length
                && RecordBatchLayout.leaderEpoch(memory, position) == leaderEpoch
                && RecordBatchLayout.magic(memory, position) == RecordBatchLayout.MAGIC
                && RecordBatchLayout.crc(memory, position) == crc
                && RecordBatchLayout.crcOf(memory, position, length, crc32c) == crc;
    }

    /** Releases the memory. */
    @Override
    public void close() {
        segment.unmap(file);
    }
}

package io.rocketbufs.rocketlog.log;

import io.rocketbufs.rocketlog.record.BatchCheck;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A sequential scan of the batches in a segment file. It ends at the end of the file, at zeros that fill the rest of
 * the file, or at the first batch that is damaged or out of order. The scan trusts a length only after it has verified
 * the CRC of the batch. No file content can therefore make it fail, or make it allocate more memory than a valid batch
 * needs.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class SegmentScan {
    /** The leader epoch of all batches: without replicas, the leader never changes. */
    static final int LEADER_EPOCH = 0;

    /** Number of bytes that are read at a time. */
    static final int WINDOW = 256 * 1024;

    private final LogFile file;
    private final long length;
    private final BatchCheck check = new BatchCheck(LogOptions.LONGEST_SEGMENT);
    private final CRC32C crc = new CRC32C();
    private ByteBuffer window;
    private long windowPosition;
    private long position;
    private int batchLength;
    private long expectedOffset;
    private String problem;

    /**
     * Creates a scan.
     *
     * @param position position at which a batch begins
     * @param length position beyond which the scan does not read
     * @param expectedOffset base offset of the first batch
     */
    SegmentScan(LogFile file, long position, long length, long expectedOffset) {
        this(file, position, length, expectedOffset, ByteBuffer.allocate((int)
                Math.min(WINDOW, Math.max(length - position, 0))));
    }

    /**
     * Creates a scan that reads into a given buffer.
     *
     * @param window as long as the file, or {@link #WINDOW} bytes long; must not be used otherwise during the scan
     */
    SegmentScan(LogFile file, long position, long length, long expectedOffset, ByteBuffer window) {
        this.file = file;
        this.length = length;
        this.position = position;
        this.windowPosition = position;
        this.expectedOffset = expectedOffset;
        this.window = window.limit(0);
    }

    /** Moves to the next batch. Returns false when the scan has ended; {@link #problem} then gives the reason. */
    boolean next() throws IOException {
        position += batchLength;
        batchLength = 0;
        if (problem != null || position >= length) {
            return false;
        }
        fill((int) Math.min(RecordBatchLayout.HEADER_LENGTH, length - position));
        if (isZero(batch(), window.limit() - batch()) && restIsZero()) {
            return false;
        }
        if (window.limit() - batch() < RecordBatchLayout.HEADER_LENGTH) {
            problem = BatchVerdict.TRUNCATED.reason();
            return false;
        }
        BatchVerdict verdict = check.checkHeader(window.position(batch()));
        if (verdict == BatchVerdict.VALID) {
            verdict = checkContent(RecordBatchLayout.length(window, batch()));
        }
        problem = problemOf(verdict);
        if (problem != null) {
            return false;
        }
        batchLength = (int) RecordBatchLayout.length(window, batch());
        expectedOffset = RecordBatchLayout.lastOffset(window, batch()) + 1;
        return true;
    }

    /** Checks the length and the CRC. Reads a long batch into memory as a whole only if its CRC is correct. */
    private BatchVerdict checkContent(long claimed) throws IOException {
        if (claimed > length - position) {
            return BatchVerdict.TRUNCATED;
        }
        int stated = RecordBatchLayout.crc(window, batch());
        boolean isLong = claimed > window.capacity();
        if (isLong && stated != crcInParts(claimed)) {
            return BatchVerdict.BAD_CRC;
        }
        fill((int) claimed);
        boolean isRight = isLong || stated == RecordBatchLayout.crcOf(window, batch(), (int) claimed, crc);
        return isRight ? BatchVerdict.VALID : BatchVerdict.BAD_CRC;
    }

    private int crcInParts(long claimed) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(WINDOW);
        crc.reset();
        long end = position + claimed;
        for (long at = position + RecordBatchLayout.CRC_BEGIN; at < end; at += part.limit()) {
            part.clear().limit((int) Math.min(WINDOW, end - at));
            file.read(part, at);
            crc.update(part.rewind());
        }
        return (int) crc.getValue();
    }

    private String problemOf(BatchVerdict verdict) {
        if (verdict != BatchVerdict.VALID) {
            return verdict.reason();
        }
        long baseOffset = RecordBatchLayout.baseOffset(window, batch());
        if (baseOffset != expectedOffset) {
            return "the base offset is " + baseOffset + " instead of " + expectedOffset;
        }
        int epoch = RecordBatchLayout.leaderEpoch(window, batch());
        return epoch != LEADER_EPOCH ? "the leader epoch is " + epoch + " instead of " + LEADER_EPOCH : null;
    }

    /**
     * Fills the window with at least the given number of bytes from the current position, unless the file is shorter.
     * Keeps the bytes in the window that follow the position, which can be most of a long batch.
     */
    private void fill(int needed) throws IOException {
        if (position + needed <= windowPosition + window.limit()) {
            return;
        }
        ByteBuffer kept = window.position(Math.min(batch(), window.limit()));
        window = needed <= window.capacity()
                ? kept.compact()
                : ByteBuffer.allocate(needed).put(kept);
        windowPosition = position;
        window.limit((int) Math.min(window.capacity(), length - position));
        file.read(window, position + window.position());
        window.flip();
    }

    private boolean isZero(int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (window.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the next position to examine. Skips holes, because a head that consumers have mapped has the maximum
     * length and is mostly empty.
     */
    private long nextData(int read, long at) throws IOException {
        long next = at + read;
        return next < length ? file.nextData(next) : next;
    }

    private boolean restIsZero() throws IOException {
        ByteBuffer rest = ByteBuffer.allocate((int) Math.min(WINDOW, length - position));
        ByteBuffer zeros = ByteBuffer.allocate(rest.capacity());
        for (long at = nextData(window.limit(), windowPosition); at < length; at = nextData(rest.limit(), at)) {
            rest.clear().limit((int) Math.min(rest.capacity(), length - at));
            if (file.read(rest, at) < rest.limit()) {
                return true;
            }
            if (rest.flip().mismatch(zeros.limit(rest.limit())) >= 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns why the scan ended, or null if it has reached the end of the file or zeros that fill the rest of the
     * file.
     */
    String problem() {
        return problem;
    }

    /**
     * Returns the buffer that contains the current batch. Its content is valid until the next call to {@link #next}.
     */
    ByteBuffer buffer() {
        return window;
    }

    /** Returns the position of the current batch in {@link #buffer}. */
    int batch() {
        return (int) (position - windowPosition);
    }

    /**
     * Returns the position of the current batch in the file or, after the scan, the position after the last valid
     * batch.
     */
    long position() {
        return position;
    }

    /** Returns the length of the current batch in bytes. */
    int batchLength() {
        return batchLength;
    }

    /** Returns the offset after the last valid batch. */
    long nextOffset() {
        return expectedOffset;
    }
}

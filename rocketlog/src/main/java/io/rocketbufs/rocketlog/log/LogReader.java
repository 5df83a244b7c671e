package io.rocketbufs.rocketlog.log;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The read and lookup operations of one log.
 *
 * <p><i>Thread-safety:</i> any thread. Reading allocates nothing.
 */
final class LogReader {
    /** Returned for an offset in a segment whose memory has been reused. */
    private static final long REUSED = -1;

    private final SegmentList segments;
    private final LogOptions options;

    LogReader(SegmentList segments, LogOptions options) {
        this.segments = segments;
        this.options = options;
    }

    /** Reads as described for {@link PartitionLog#read}. */
    int read(long offset, ByteBuffer target) {
        segments.requireOpened();
        if (target.remaining() < RecordBatchLayout.HEADER_LENGTH) {
            throw new IllegalArgumentException("a read needs at least " + RecordBatchLayout.HEADER_LENGTH
                    + " bytes: remaining=" + target.remaining());
        }
        if (target.order() != ByteOrder.BIG_ENDIAN) {
            throw new IllegalArgumentException("a read needs a big-endian buffer");
        }
        int start = target.position();
        while (true) {
            Segment segment = acquire(offset);
            if (segment == null) {
                return PartitionLog.OUT_OF_RANGE;
            }
            try {
                return read(segment, offset, target);
            } catch (IOException e) {
                if (!isDeleted(segment)) {
                    throw LogException.of("read", segment.path(), e);
                }
                target.position(start); // the memory has been reused, so the offset is now out of range
            } finally {
                release(segment);
            }
        }
    }

    private Segment acquire(long offset) {
        while (true) {
            Segment segment = segments.of(offset);
            if (segment == null || acquire(segment)) {
                return segment;
            }
        }
    }

    /**
     * Acquires a segment. Returns false if retention has deleted it.
     *
     * @throws LogException if the log is closed
     */
    private boolean acquire(Segment segment) {
        if (segment.acquire()) {
            return true;
        }
        if (segments.contains(segment)) {
            throw new LogException(LogException.Code.CLOSED, segment.path() + " is closed", "open it again", null);
        }
        return false;
    }

    private static void release(Segment segment) {
        try {
            segment.release();
        } catch (IOException e) {
            throw LogException.of("close", segment.path(), e);
        }
    }

    private int read(Segment segment, long offset, ByteBuffer target) throws IOException {
        long end = segment.end(); // read before nextOffset, which the writer publishes first
        if (offset >= segment.nextOffset()) {
            return offset == segment.nextOffset() ? 0 : PartitionLog.OUT_OF_RANGE;
        }
        int start = target.position();
        int limit = target.limit();
        long position = segment.index(options.indexInterval()).positionOf(offset - segment.baseOffset());
        try {
            while (position < end) {
                fill(segment, position, end, target, start, limit);
                int skipped = skip(segment, position, offset, target, start);
                if (skipped == 0) {
                    return wholeBatches(target, start);
                }
                position += skipped;
            }
            return 0;
        } finally {
            target.limit(limit);
        }
    }

    private static void fill(Segment segment, long position, long end, ByteBuffer target, int start, int limit)
            throws IOException {
        target.limit((int) Math.min(limit, start + end - position)).position(start);
        segment.file().read(target, position);
        target.flip().position(start);
    }

    boolean isHead(Segment segment) {
        return segments.head() == segment;
    }

    boolean isDeleted(Segment segment) {
        return !segments.contains(segment);
    }

    /** Returns a view as described for {@link PartitionLog#view}. */
    SegmentView view(long wanted, long nextOffset) {
        segments.requireOpened();
        if (wanted > nextOffset) {
            // A view can begin at any offset up to nextOffset, because the end of a segment has reached that offset.
            return null;
        }
        long next = wanted;
        while (true) {
            long offset = Math.max(next, segments.first().baseOffset());
            Segment segment = acquire(offset);
            if (segment != null) {
                long end = segment.nextOffset(); // read before the view is created, because it increases
                SegmentView view = view(segment, offset);
                if (view != null || offset > end) {
                    return view;
                }
                next = Math.max(next, end);
            }
        }
    }

    /**
     * Returns a view of an acquired segment. If the offset is beyond the segment's end, or retention is deleting the
     * segment, releases the segment and returns null.
     */
    private SegmentView view(Segment segment, long offset) {
        SegmentView view = null;
        try {
            long end = segment.end(); // read before nextOffset, which the writer publishes first
            if (offset <= segment.nextOffset()) {
                long position = findPosition(segment, offset, end);
                view = new SegmentView(this, segment, segment.map(options.segmentLength()), offset, position);
            }
            return view;
        } catch (IOException e) {
            if (isBeingDeleted(segment)) {
                return null;
            }
            throw LogException.of("open a view of", segment.path(), e);
        } finally {
            if (view == null) {
                release(segment);
            }
        }
    }

    /** Returns true if retention has removed the segment or has already deleted its file. The file is deleted first. */
    private boolean isBeingDeleted(Segment segment) {
        return !segments.contains(segment)
                || segment == segments.first() && !isHead(segment) && !Files.exists(Path.of(segment.path()));
    }

    /**
     * Returns the position of the batch that contains the offset, or the given end if there is no such batch before the
     * end.
     *
     * @param end the end of the segment, or a position before it at which a batch begins
     */
    long positionOf(Segment segment, long offset, long end) {
        try {
            return findPosition(segment, offset, end);
        } catch (IOException e) {
            throw LogException.of("read", segment.path(), e);
        }
    }

    private long findPosition(Segment segment, long offset, long end) throws IOException {
        if (offset >= segment.nextOffset()) {
            return end;
        }
        ByteBuffer header = ByteBuffer.allocate(RecordBatchLayout.HEADER_LENGTH);
        long position = segment.index(options.indexInterval()).positionOf(offset - segment.baseOffset());
        while (position < end) {
            segment.file().read(header.clear(), position);
            if (RecordBatchLayout.lastOffset(header, 0) >= offset) {
                return position;
            }
            position += lengthAt(segment, position, header);
        }
        return end;
    }

    private static long lengthAt(Segment segment, long position, ByteBuffer header) {
        long length = RecordBatchLayout.length(header, 0);
        if (length < RecordBatchLayout.HEADER_LENGTH) {
            throw LogException.damaged(segment.path(), "at position " + position + ": no batch begins here");
        }
        return length;
    }

    /** Returns the total length of those batches at the beginning of the target that end before the offset. */
    private static int skip(Segment segment, long position, long offset, ByteBuffer target, int start) {
        long skipped = 0;
        while (start + skipped + RecordBatchLayout.HEADER_LENGTH <= target.limit()) {
            int batch = (int) (start + skipped);
            long length = RecordBatchLayout.length(target, batch);
            if (length < RecordBatchLayout.HEADER_LENGTH || length > segment.end() - position - skipped) {
                break;
            }
            if (RecordBatchLayout.lastOffset(target, batch) >= offset) {
                if (RecordBatchLayout.baseOffset(target, batch) > offset) {
                    throw LogException.damaged(
                            segment.path(),
                            "at position " + (position + skipped) + ": the batch begins after offset " + offset);
                }
                return (int) skipped;
            }
            skipped += length;
        }
        if (skipped == 0) {
            throw LogException.damaged(segment.path(), "at position " + position + ": no batch begins here");
        }
        return (int) skipped;
    }

    /** Advances the position past the last complete batch, and returns the total length of the complete batches. */
    private static int wholeBatches(ByteBuffer target, int start) {
        long whole = 0;
        while (start + whole + RecordBatchLayout.HEADER_LENGTH <= target.limit()) {
            long length = RecordBatchLayout.length(target, (int) (start + whole));
            if (length < RecordBatchLayout.HEADER_LENGTH || start + whole + length > target.limit()) {
                break;
            }
            whole += length;
        }
        target.position((int) (start + whole));
        return whole > 0 ? (int) whole : (int) -RecordBatchLayout.length(target, start);
    }

    /**
     * Returns the base offset of the first batch that has a timestamp at or after the given timestamp, or
     * {@code otherwise} if there is no such batch.
     */
    long offsetOf(long timestamp, long otherwise) {
        segments.requireOpened();
        for (Segment segment : segments.all()) {
            if (segment.largestTimestamp() >= timestamp && acquire(segment)) {
                long found = offsetIn(segment, timestamp, otherwise);
                if (found != REUSED) {
                    return found;
                }
            }
        }
        return otherwise;
    }

    /** Looks up the offset for a timestamp in an acquired segment, and releases the segment. */
    private long offsetIn(Segment segment, long timestamp, long otherwise) {
        try {
            return offsetOf(segment, timestamp, otherwise);
        } catch (IOException e) {
            if (isDeleted(segment)) {
                return REUSED;
            }
            throw LogException.of("read", segment.path(), e);
        } finally {
            release(segment);
        }
    }

    private long offsetOf(Segment segment, long timestamp, long otherwise) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(RecordBatchLayout.HEADER_LENGTH);
        long end = segment.end();
        long position = segment.index(options.indexInterval()).positionOfTime(timestamp);
        while (position < end) {
            segment.file().read(header.clear(), position);
            if (RecordBatchLayout.largestTimestamp(header, 0) >= timestamp) {
                return RecordBatchLayout.baseOffset(header, 0);
            }
            position += lengthAt(segment, position, header);
        }
        return otherwise;
    }
}

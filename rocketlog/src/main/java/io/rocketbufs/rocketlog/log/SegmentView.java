package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.Region;
import java.io.IOException;

/**
 * A view of a segment as memory that can be read without system calls. The memory may be longer than the segment; bytes
 * after {@link #end} are undefined. A deleted segment remains readable until the view is closed.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> the view holds the segment and its mapping until it is closed.
 */
public final class SegmentView implements AutoCloseable {
    private final LogReader reader;
    private final Segment segment;
    private final SegmentMapping mapping;
    private final long offset;
    private final long position;
    private boolean isClosed;

    SegmentView(LogReader reader, Segment segment, SegmentMapping mapping, long offset, long position) {
        this.reader = reader;
        this.segment = segment;
        this.mapping = mapping;
        this.offset = offset;
        this.position = position;
    }

    /** Returns the memory. To use it after {@link #close}, the caller must retain it. */
    public Region region() {
        return mapping.region();
    }

    /** Returns the offset of the segment's first record. */
    public long baseOffset() {
        return segment.baseOffset();
    }

    /** Returns the offset for which the view was created, or the log's start offset if that was higher. */
    public long offset() {
        return offset;
    }

    /** Returns the position of a batch that contains {@link #offset} or precedes it. */
    public long position() {
        return position;
    }

    /**
     * Returns true if {@link #end} is final. The next record is then in a different view, either of the next segment or
     * of this segment.
     */
    public boolean isEnded() {
        return mapping.end() != SegmentMapping.GROWS || !reader.isHead(segment);
    }

    /** Returns the position up to which this view shows the log. */
    public long end() {
        if (mapping.end() == SegmentMapping.GROWS) {
            long end = segment.end();
            if (mapping.end() == SegmentMapping.GROWS) { // otherwise, the end may belong to a newer mapping
                return end;
            }
        }
        return mapping.end();
    }

    /** Returns true if another program has truncated the file. The memory must then no longer be read. */
    public boolean isTruncated() {
        return segment.isTruncated();
    }

    /** Returns true if retention has deleted the segment. */
    public boolean isDeleted() {
        return reader.isDeleted(segment);
    }

    /**
     * Returns the position before which all records have offsets lower than the given offset.
     *
     * @throws LogException if the disk fails, or the segment is damaged
     */
    public long endBefore(long limit) {
        long end = end();
        return Math.min(end, reader.positionOf(segment, limit, end));
    }

    /** Releases the segment. Idempotent. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            segment.unmap(mapping);
            try {
                segment.release();
            } catch (IOException e) {
                throw LogException.of("close", segment.path(), e);
            }
        }
    }
}

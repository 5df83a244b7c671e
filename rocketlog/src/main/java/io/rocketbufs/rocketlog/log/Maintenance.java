package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slow work of one log, none of which the appending thread waits for: reserving disk space, flushing, sealing
 * rolled segments, and deleting old ones.
 *
 * <p><i>Thread-safety:</i> any thread; the methods exclude each other.
 */
public final class Maintenance {
    private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

    private final PartitionLog log;
    private final SegmentList segments;
    private final LogOptions options;
    private volatile long durableOffset;
    /** The newest segment whose name has been forced. */
    private Segment forcedHead;

    private boolean isOpen = true;

    Maintenance(PartitionLog log) {
        this.log = log;
        this.segments = log.segments();
        this.options = log.options();
        this.durableOffset = segments.first().baseOffset();
    }

    /**
     * Returns the offset before which all records survive a crash of the machine. With
     * {@link LogOptions.FlushPolicy#ALWAYS}, a batch may be acknowledged when this has passed its last record.
     */
    public long durableOffset() {
        return durableOffset;
    }

    /** Returns true if records have been appended that a flush would make durable. */
    boolean isDirty() {
        return durableOffset < log.nextOffset() && log.failure() == null;
    }

    /**
     * Forces everything appended before the call to the disk. If that fails, the log accepts nothing further, and the
     * durable offset stays unchanged.
     */
    synchronized void flush() {
        if (!isOpen || !isDirty()) {
            return;
        }
        long target = log.nextOffset();
        try {
            for (Segment segment : segments.all()) {
                if (!segment.isSealed()) {
                    segment.file().force();
                }
            }
            forceNames();
            durableOffset = target;
        } catch (IOException e) {
            log.fail(LogException.of("flush", segments.head().path(), e));
        }
    }

    /** Forces the names of new segments. */
    private void forceNames() throws IOException {
        Segment newest = segments.head();
        if (newest != forcedHead) {
            segments.folder().force();
            forcedHead = newest;
        }
    }

    /** Seals all segments that have rolled, the oldest first. */
    synchronized void seal() {
        Segment rolled = isOpen && log.failure() == null ? segments.oldestRolled() : null;
        try {
            while (rolled != null) {
                rolled.seal(segments.takeRolledStates());
                rolled = segments.oldestRolled();
            }
        } catch (IOException e) {
            log.fail(LogException.of("seal", segments.head().path(), e));
        }
    }

    /** Reserves disk space for the head. A full disk is not a failure here: appending reports it. */
    synchronized void allocate() {
        try {
            if (isOpen && log.failure() == null) {
                segments.head().allocate(options.allocationStep(), options.segmentLength());
            }
        } catch (IOException e) {
            LOG.debug("no space reserved for {}", segments.head().path(), e);
        }
    }

    /**
     * Deletes the oldest sealed segments that the retention no longer requires.
     *
     * @param now milliseconds since 1970
     */
    synchronized void retain(long now) {
        try {
            while (isOpen && isExpired(segments.first(), now)) {
                segments.removeFirst().delete();
            }
        } catch (IOException e) {
            LOG.warn(
                    "{}",
                    LogException.of("delete an old segment of", log.name(), e).getMessage());
        }
    }

    private boolean isExpired(Segment oldest, long now) {
        if (!oldest.isSealed() || oldest == segments.head()) {
            return false;
        }
        boolean isOld = options.retentionTime() != null
                && oldest.largestTimestamp() < now - options.retentionTime().toMillis();
        return isOld || options.retentionLength() > 0 && length() - oldest.end() >= options.retentionLength();
    }

    private long length() {
        long length = 0;
        for (Segment segment : segments.all()) {
            length += segment.end();
        }
        return length;
    }

    /**
     * Flushes and seals everything, so that the next opening needs no scan, and closes the files. No thread may append
     * during the call or afterwards.
     */
    synchronized void close() {
        if (!isOpen) {
            return;
        }
        seal();
        try {
            if (log.failure() == null) {
                segments.head().seal(log.producers());
                durableOffset = log.nextOffset();
            }
            log.end();
            segments.release();
        } catch (IOException e) {
            throw LogException.of("close", segments.head().path(), e);
        } finally {
            isOpen = false;
        }
    }
}

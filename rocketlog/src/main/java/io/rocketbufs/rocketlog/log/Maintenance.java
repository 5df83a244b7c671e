package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slow operations of one log, for which the appending thread never waits: reserving disk space, flushing, sealing
 * rolled segments, and deleting old segments.
 *
 * <p><i>Thread-safety:</i> any thread; the methods are mutually exclusive.
 */
final class Maintenance {
    private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

    private final PartitionLog log;
    private final SegmentList segments;
    private final LogOptions options;
    private volatile long durableOffset;
    /** The newest segment whose name has been forced. */
    private Segment forcedHead;

    /**
     * The next offset at the end of the last round if all records were durable then; otherwise -1. Accessed only by the
     * maintenance thread.
     */
    private long restsAt = -1;

    /** True if the last flush failed because no file descriptor was free. */
    private boolean mustFlush;

    /** Number of segments whose files another program had truncated at the last count. */
    private int truncatedCount;

    private boolean isOpen = true;

    Maintenance(PartitionLog log) {
        this.log = log;
        this.segments = log.segments();
        this.options = log.options();
        this.durableOffset = segments.first().baseOffset();
    }

    /** Returns the offset before which all records survive a crash of the machine. */
    long durableOffset() {
        return durableOffset;
    }

    /**
     * Forces everything appended before the call to the disk. If this fails, the durable offset stays unchanged, and
     * the log accepts no further records. However, if only a file descriptor was missing, the next flush tries again.
     */
    synchronized void flush() {
        long target = log.nextOffset();
        if (!isOpen || target <= durableOffset || log.failure() != null) {
            return;
        }
        try {
            forceUnsealed();
            mustFlush = false;
        } catch (IOException e) {
            LogException refused = LogException.of("flush", segments.head().path(), e);
            if (refused.isTemporary()) {
                postpone(refused);
                return;
            }
            log.fail(refused);
        }
        if (log.failure() == null) { // the appending thread may have failed to force the same file
            durableOffset = target;
        }
    }

    private void postpone(LogException refused) {
        if (!mustFlush) {
            mustFlush = true;
            LOG.warn("{}; trying again", refused.getMessage());
        }
    }

    /** Returns true if the last flush must be repeated. */
    synchronized boolean mustFlush() {
        return mustFlush;
    }

    /** Called on the maintenance thread at the end of a round. */
    void endRound() {
        long next = log.nextOffset();
        restsAt = next == durableOffset ? next : -1;
    }

    /**
     * Returns true if a round has nothing to do. Nothing has then been appended since the last round, all records were
     * durable at the end of that round, and the log is only its head. A log can also roll without an append. Called on
     * the maintenance thread.
     */
    boolean isAtRest() {
        return log.nextOffset() == restsAt && segments.all().length == 1;
    }

    private void forceUnsealed() throws IOException {
        for (Segment segment : segments.all()) {
            if (!segment.isSealed()) {
                segment.requireWhole();
                segment.file().force();
            }
        }
        forceNames();
    }

    /** Forces the names of new segments. */
    private void forceNames() throws IOException {
        Segment newest = segments.head();
        if (newest != forcedHead) {
            segments.folder().force();
            forcedHead = newest;
        }
    }

    /**
     * Seals all rolled segments, oldest first. A lack of disk space or file descriptors does not fail the log: the next
     * call tries again, and recovery does not need the seals.
     */
    synchronized void seal() {
        if (!isOpen || log.failure() != null) {
            return;
        }
        try {
            sealRolled();
        } catch (IOException e) {
            LogException refused =
                    LogException.of("seal", segments.oldestRolled().path(), e);
            if (refused.isTemporary()) {
                LOG.debug("{}", refused.getMessage(), e);
            } else {
                log.fail(refused);
            }
        }
    }

    private void sealRolled() throws IOException {
        for (Segment rolled = segments.oldestRolled(); rolled != null; rolled = segments.oldestRolled()) {
            rolled.seal(segments.rolledStates());
            segments.forgetRolledStates();
        }
    }

    /** Reserves disk space for the head. A full disk does not fail the log, because appending reports it. */
    synchronized void allocate() {
        try {
            if (isOpen && log.failure() == null) {
                segments.head().allocate(options.allocationStep(), options.segmentLength());
            }
        } catch (IOException e) {
            LOG.debug("No space was reserved for {}", segments.head().path(), e);
        }
    }

    /**
     * Deletes the oldest sealed segments that retention no longer requires. A segment whose file cannot be deleted
     * remains part of the log, as do all later segments; the next call tries again.
     *
     * @param now milliseconds since 1970
     * @return true if at least one segment has been deleted
     */
    synchronized boolean retain(long now) {
        boolean hasDeleted = false;
        try {
            while (isOpen && isExpired(segments.first(), now)) {
                segments.first().delete();
                segments.removeFirst().release();
                hasDeleted = true;
            }
        } catch (IOException e) {
            LOG.warn(
                    "{}; trying again",
                    LogException.of("delete", segments.first().path(), e).getMessage());
        }
        return hasDeleted;
    }

    private boolean isExpired(Segment oldest, long now) {
        if (!oldest.isSealed() || oldest == segments.head()) {
            return false;
        }
        boolean isOld = options.retentionTime() != null
                && oldest.largestTimestamp() < now - options.retentionTime().toMillis();
        return isOld || options.retentionLength() > 0 && segments.length() - oldest.end() >= options.retentionLength();
    }

    /**
     * Fails the log if another program has truncated a file that peers access as memory. Without this check, the
     * truncation might go undetected, because not every transport reports a read beyond the end of the file.
     *
     * @return true if more truncated files have been found since the last call
     */
    synchronized boolean checkLengths() {
        int found = 0;
        for (Segment segment : segments.all()) {
            try {
                if (isOpen) {
                    segment.requireWholeIfMapped();
                }
            } catch (IOException e) {
                log.fail(LogException.of("use", segment.path(), e));
            }
            found += segment.isTruncated() ? 1 : 0;
        }
        boolean isNew = found > truncatedCount;
        truncatedCount = found;
        return isNew;
    }

    /**
     * Flushes and seals all segments, so that reopening the log needs no scan, and closes the files. Closes the files
     * even if sealing fails. No thread may append during the call or afterwards.
     *
     * @throws LogException if a segment could not be sealed, or a file could not be closed
     */
    synchronized void close() {
        if (!isOpen) {
            return;
        }
        isOpen = false;
        boolean hasFailed = log.failure() != null;
        log.end();
        String path = segments.head().path();
        try {
            try {
                if (!hasFailed) {
                    forceAndSeal();
                }
            } finally {
                segments.release();
            }
        } catch (IOException e) {
            throw LogException.of("close", path, e);
        }
    }

    private void forceAndSeal() throws IOException {
        if (durableOffset < log.nextOffset()) {
            forceUnsealed(); // first, because writing the seals can fail on a full disk
            durableOffset = log.nextOffset();
        }
        sealRolled();
        segments.head().seal(log.producers());
    }
}

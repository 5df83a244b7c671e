package io.rocketbufs.rocketlog.log;

import java.time.Duration;

/**
 * The options of a log.
 *
 * @param segmentLength length at which a segment is sealed and the next segment begins, in bytes; at most 1 GiB
 * @param allocationStep length of the steps in which disk space is reserved ahead of the end, in bytes; 0 to reserve
 *     none
 * @param indexInterval bytes between two entries of an index
 * @param longestBatch length of the longest batch that producers may append, in bytes; at most the segment length
 * @param flush when appended batches are forced to the disk
 * @param flushInterval time between two flushes under {@link FlushPolicy#INTERVAL}, and between two rounds of
 *     retention; at most a day
 * @param retentionTime age at which records may be deleted, at most a thousand years; null to keep records forever. A
 *     segment is deleted when all its records are older, unless it is being filled
 * @param retentionLength length of the log that must be kept, in bytes; 0 for no limit. The oldest segments are deleted
 *     as long as the remaining segments have at least this total length
 */
public record LogOptions(
        int segmentLength,
        int allocationStep,
        int indexInterval,
        int longestBatch,
        FlushPolicy flush,
        Duration flushInterval,
        Duration retentionTime,
        long retentionLength) {
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);
    private static final Duration LONGEST_RETENTION = Duration.ofDays(365_000);

    /** Length of the longest segment. Positions in index files have 31 bits. */
    static final int LONGEST_SEGMENT = 1 << 30;

    /**
     * Segments of 256 MiB, 16 MiB reserved ahead, batches of up to 1 MiB, a flush every second, retention for 7 days.
     */
    public static final LogOptions DEFAULTS = new LogOptions(
            256 << 20, 16 << 20, 4096, 1 << 20, FlushPolicy.INTERVAL, Duration.ofSeconds(1), Duration.ofDays(7), 0);

    /** When appended batches are forced to the disk. */
    public enum FlushPolicy {
        /** Whenever the operating system writes them. A crash of the machine may lose acknowledged batches. */
        NONE,
        /** Once per flush interval. A crash of the machine may lose the acknowledged batches of one interval. */
        INTERVAL,
        /**
         * As soon as possible, with one flush for all waiting batches. A batch should be acknowledged only when it is
         * durable.
         */
        ALWAYS
    }

    /** Validates the values. */
    public LogOptions {
        check(segmentLength > 0 && segmentLength <= LONGEST_SEGMENT, "segmentLength", segmentLength);
        check(allocationStep >= 0, "allocationStep", allocationStep);
        check(indexInterval > 0, "indexInterval", indexInterval);
        check(longestBatch > 0 && longestBatch <= segmentLength, "longestBatch", longestBatch);
        boolean isInterval = !flushInterval.isNegative() && !flushInterval.isZero();
        check(isInterval && flushInterval.compareTo(LONGEST_INTERVAL) <= 0, "flushInterval", flushInterval);
        boolean isTime =
                retentionTime == null || !retentionTime.isNegative() && retentionTime.compareTo(LONGEST_RETENTION) <= 0;
        check(isTime, "retentionTime", retentionTime);
        check(retentionLength >= 0, "retentionLength", retentionLength);
    }

    private static void check(boolean isValid, String name, Object value) {
        if (!isValid) {
            throw new IllegalArgumentException("out of range: " + name + "=" + value);
        }
    }

    /** Returns a copy with a different flush policy. */
    public LogOptions withFlush(FlushPolicy policy) {
        return new LogOptions(
                segmentLength,
                allocationStep,
                indexInterval,
                longestBatch,
                policy,
                flushInterval,
                retentionTime,
                retentionLength);
    }

    /** Returns a copy with a different segment length, allocation step and longest batch, in bytes. */
    public LogOptions withSegments(int length, int step, int batch) {
        return new LogOptions(length, step, indexInterval, batch, flush, flushInterval, retentionTime, retentionLength);
    }

    /** Returns a copy with a different index interval, in bytes. */
    public LogOptions withIndexInterval(int interval) {
        return new LogOptions(
                segmentLength,
                allocationStep,
                interval,
                longestBatch,
                flush,
                flushInterval,
                retentionTime,
                retentionLength);
    }

    /** Returns a copy with a different retention time, and a different retention length in bytes. */
    public LogOptions withRetention(Duration time, long length) {
        return new LogOptions(
                segmentLength, allocationStep, indexInterval, longestBatch, flush, flushInterval, time, length);
    }
}

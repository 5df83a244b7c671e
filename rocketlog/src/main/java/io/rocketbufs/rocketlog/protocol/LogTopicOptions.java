package io.rocketbufs.rocketlog.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * The options with which a topic on the disk can override its broker's settings.
 *
 * @param retentionMs how long records are kept, in milliseconds, or {@link #UNSET} or {@link #UNLIMITED}
 * @param retentionLength length up to which a partition's log is kept, in bytes, or {@link #UNSET} or
 *     {@link #UNLIMITED}
 * @param segmentLength length at which a segment is sealed, in bytes, or {@link #UNSET}
 */
public record LogTopicOptions(long retentionMs, long retentionLength, long segmentLength) {
    /** Represents the value that the broker is configured to use. */
    public static final long UNSET = 0;

    /** Represents retention without a time limit or without a length limit. */
    public static final long UNLIMITED = -1;

    /** The options of a topic that overrides none of the broker's settings. */
    public static final LogTopicOptions NONE = new LogTopicOptions(UNSET, UNSET, UNSET);

    /** Minimum length of a segment, in bytes. */
    public static final int SHORTEST_SEGMENT = 64 << 10;

    /** Maximum length of a segment, in bytes. */
    public static final int LONGEST_SEGMENT = 1 << 30;

    /** Maximum retention time, in milliseconds: a thousand years. */
    public static final long LONGEST_RETENTION_MS = 365_000L * 24 * 60 * 60 * 1000;

    /** Maximum retention length, in bytes. */
    public static final long LARGEST_RETENTION = 1_000_000_000_000_000_000L - 1;

    /** The name of the option for the retention time. */
    public static final String RETENTION_TIME = "retention.time";

    /** The name of the option for the retention length. */
    public static final String RETENTION_LENGTH = "retention.length";

    /** The name of the option for the segment length. */
    public static final String SEGMENT_LENGTH = "segment-length";

    /** The names of all options. */
    public static final List<String> NAMES = List.of(RETENTION_TIME, RETENTION_LENGTH, SEGMENT_LENGTH);

    /** Returns why a topic cannot have these options, or null if they are valid. */
    public String problem() {
        if (retentionMs < UNLIMITED || retentionMs > LONGEST_RETENTION_MS) {
            return RETENTION_TIME + "=" + retentionMs + " ms is not in the range 1 to " + LONGEST_RETENTION_MS;
        }
        if (retentionLength < UNLIMITED || retentionLength > LARGEST_RETENTION) {
            return RETENTION_LENGTH + "=" + retentionLength + " bytes is not in the range 1 to " + LARGEST_RETENTION;
        }
        boolean isSegment = segmentLength >= SHORTEST_SEGMENT && segmentLength <= LONGEST_SEGMENT;
        return segmentLength == UNSET || isSegment
                ? null
                : SEGMENT_LENGTH + "=" + segmentLength + " bytes is not in the range " + SHORTEST_SEGMENT + " to "
                        + LONGEST_SEGMENT;
    }

    /** Returns these options, with unset options replaced by the given ones. */
    public LogTopicOptions or(LogTopicOptions others) {
        return new LogTopicOptions(
                retentionMs == UNSET ? others.retentionMs : retentionMs,
                retentionLength == UNSET ? others.retentionLength : retentionLength,
                segmentLength == UNSET ? others.segmentLength : segmentLength);
    }

    /** Returns the names of the options that are set. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        add(names, RETENTION_TIME, retentionMs);
        add(names, RETENTION_LENGTH, retentionLength);
        add(names, SEGMENT_LENGTH, segmentLength);
        return names;
    }

    private static void add(List<String> names, String name, long value) {
        if (value != UNSET) {
            names.add(name);
        }
    }
}

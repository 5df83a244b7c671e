package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.log.load.LoadOptions;

/**
 * The settings with which a broker must be started. One broker serves all cells with the same settings.
 *
 * @param flushes whether the broker forces records to the disk before it acknowledges them
 * @param partitions number of partitions of the topics that producers use
 */
record BrokerTerms(boolean flushes, int partitions) {
    private static final int LONGEST_SEGMENT = 64 << 20;
    /** The minimum length of a segment in bytes that Kafka accepts. */
    private static final int SHORTEST_SEGMENT = 1 << 20;
    /** Number of segments that each partition retains. */
    private static final int SEGMENTS = 8;

    /** Returns the settings required by a cell. */
    static BrokerTerms of(Cell cell) {
        return new BrokerTerms(((LogExperiment) cell.experiment()).flushes(), cell.topics());
    }

    /** Returns the length in bytes that each partition retains. */
    int retentionLength() {
        return Math.max(LoadOptions.RETENTION_LENGTH / partitions, SHORTEST_SEGMENT);
    }

    /** Returns the length of a partition's segments in bytes. */
    int segmentLength() {
        return Math.max(SHORTEST_SEGMENT, Math.min(LONGEST_SEGMENT, retentionLength() / SEGMENTS));
    }
}

package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.log.load.LoadOptions;

/**
 * The settings with which a broker must be started. One broker serves all cells with the same settings.
 *
 * @param flushes whether it forces records to the disk before it acknowledges them
 * @param partitions number of partitions of the topics that producers use
 */
record BrokerTerms(boolean flushes, int partitions) {
    private static final int LONGEST_SEGMENT = 64 << 20;
    /** The shortest segment that Kafka accepts. */
    private static final int SHORTEST_SEGMENT = 1 << 20;
    /** Number of segments that a partition keeps. */
    private static final int SEGMENTS = 8;

    /** Returns the terms of a cell. */
    static BrokerTerms of(Cell cell) {
        return new BrokerTerms(((LogExperiment) cell.experiment()).flushes(), cell.topics());
    }

    /** Returns the length that is kept of each partition. */
    int retentionLength() {
        return Math.max(LoadOptions.RETENTION_LENGTH / partitions, SHORTEST_SEGMENT);
    }

    /** Returns the length of a segment of a partition. */
    int segmentLength() {
        return Math.max(SHORTEST_SEGMENT, Math.min(LONGEST_SEGMENT, retentionLength() / SEGMENTS));
    }
}

package io.rocketbufs.benchmarks.log;

import java.util.Locale;

/** The ways in which batches of a rocketlog producer reach the log, and the location of the log. */
enum RocketlogMode {
    /** The producer writes batches into a buffer at the broker, and the broker copies them into the log. */
    PRIVATE(Integer.MAX_VALUE),
    /**
     * The producer writes batches directly into the log's memory. No other producer may use the partition at the same
     * time.
     */
    EXCLUSIVE(256),
    /** Like exclusive, but several producers may use the partition. Each producer reserves space for its batches. */
    SHARED(256),
    /** Like private, but the topics keep their records in the broker's memory. */
    MEMORY(1);

    private final int mostPartitions;

    /** @param mostPartitions maximum number of partitions that a producer can use with the broker's default settings */
    RocketlogMode(int mostPartitions) {
        this.mostPartitions = mostPartitions;
    }

    /**
     * Returns whether this many producers can use a partition at the same time, and a producer can use this many
     * partitions.
     */
    boolean allows(int producers, int partitions) {
        return (this != EXCLUSIVE || producers == 1) && partitions <= mostPartitions;
    }

    /** Returns the mode's name in rocketlog's configuration. */
    String setting() {
        return (isPrivate() ? PRIVATE : this).toString();
    }

    /** Returns whether the broker copies the producers' batches. */
    boolean isPrivate() {
        return this == PRIVATE || this == MEMORY;
    }

    /** Returns the mode's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

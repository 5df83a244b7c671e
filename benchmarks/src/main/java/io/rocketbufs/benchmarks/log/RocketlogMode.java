package io.rocketbufs.benchmarks.log;

import java.util.Locale;

/** How the batches of a producer of rocketlog reach the log, and where it is. */
enum RocketlogMode {
    /** Through a buffer at the broker, from which the broker copies them. */
    PRIVATE(Integer.MAX_VALUE),
    /** The producer writes them into the memory of the log, while no other producer uses the partition. */
    EXCLUSIVE(256),
    /** As exclusive, but together with other producers: each reserves the places of its batches. */
    SHARED(256),
    /** As private, to topics whose records are kept in the memory of the broker. */
    MEMORY(1);

    private final int mostPartitions;

    /**
     * @param mostPartitions number of partitions that a producer can use with the broker's default settings, at most
     */
    RocketlogMode(int mostPartitions) {
        this.mostPartitions = mostPartitions;
    }

    /** Returns true if several producers can use a partition at the same time, and a producer so many partitions. */
    boolean allows(int producers, int partitions) {
        return (this != EXCLUSIVE || producers == 1) && partitions <= mostPartitions;
    }

    /** Returns the mode's name in the configuration of rocketlog. */
    String setting() {
        return (isPrivate() ? PRIVATE : this).toString();
    }

    /** Returns true if the broker copies the batches of producers. */
    boolean isPrivate() {
        return this == PRIVATE || this == MEMORY;
    }

    /** Returns the mode's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

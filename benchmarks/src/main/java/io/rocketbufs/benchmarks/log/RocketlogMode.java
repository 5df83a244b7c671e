package io.rocketbufs.benchmarks.log;

import java.util.Locale;

/** How a producer of rocketlog's batches reach the log. */
enum RocketlogMode {
    /** Through a buffer at the broker, from which the broker copies them. */
    PRIVATE(Integer.MAX_VALUE),
    /** The producer writes them into the memory of the log, while no other producer uses the partition. */
    EXCLUSIVE(256);

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

    /** Returns the mode's name in the configuration and on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

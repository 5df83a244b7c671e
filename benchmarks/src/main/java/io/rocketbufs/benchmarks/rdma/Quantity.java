package io.rocketbufs.benchmarks.rdma;

import java.util.Locale;

/** A measured quantity. */
enum Quantity {
    /** The maximum number of messages per second, one way. */
    RATE("rate, messages/s"),
    /** The median of half a round trip, in nanoseconds. */
    LATENCY("half round trip, p50, us"),
    /** The maximum number of reads per second of the peer's memory. */
    READ_RATE("reads/s"),
    /** The median time of a read, in nanoseconds. */
    READ_LATENCY("read, p50, us"),
    /** The maximum number of additions per second to a word of the peer. */
    FETCH_ADD_RATE("fetch-adds/s"),
    /** The median time of an addition, in nanoseconds. */
    FETCH_ADD_LATENCY("fetch-add, p50, us");

    private static final double MICRO_NS = 1e3;

    private final String title;

    Quantity(String title) {
        this.title = title;
    }

    /** Returns the name of the quantity with its unit. */
    String title() {
        return title;
    }

    /** Returns whether the quantity is a time instead of a rate. */
    boolean isLatency() {
        return this == LATENCY || this == READ_LATENCY || this == FETCH_ADD_LATENCY;
    }

    /** Returns whether operations on the peer's memory are measured instead of messages. */
    boolean isRemote() {
        return this != RATE && this != LATENCY;
    }

    /** Returns whether additions are measured. */
    boolean adds() {
        return this == FETCH_ADD_RATE || this == FETCH_ADD_LATENCY;
    }

    /** Returns the goal for the ratio of Java to C, or an empty string if there is none. */
    String goal() {
        if (!isRemote()) {
            return "";
        }
        return isLatency() ? "at most 1.1" : "at least 0.9";
    }

    /** Formats a value in the unit of the title. */
    String text(double value) {
        return isLatency()
                ? String.format(Locale.ROOT, "%.1f", value / MICRO_NS)
                : String.format(Locale.ROOT, "%,.0f", value);
    }

    /** Returns the quantity's name on the command line, which is also its name in the C program. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

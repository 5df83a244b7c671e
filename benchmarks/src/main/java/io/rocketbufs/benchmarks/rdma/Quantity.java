package io.rocketbufs.benchmarks.rdma;

import java.util.Locale;

/** A measured quantity. */
enum Quantity {
    /** The maximum number of messages per second, one way. */
    RATE("rate, messages/s", "%,.0f", 1),
    /** The median of half a round trip, in nanoseconds. */
    LATENCY("half round trip, p50, us", "%.1f", 1e3);

    private final String title;
    private final String format;
    private final double unit;

    Quantity(String title, String format, double unit) {
        this.title = title;
        this.format = format;
        this.unit = unit;
    }

    /** Returns the name of the quantity with its unit. */
    String title() {
        return title;
    }

    /** Formats a value in the unit of the title. */
    String text(double value) {
        return String.format(Locale.ROOT, format, value / unit);
    }

    /** Returns the name that the C program uses for the quantity. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

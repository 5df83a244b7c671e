package io.rocketbufs.benchmarks.compare;

import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The latency distribution of messages.
 *
 * @param us latency in microseconds by percentile; empty if no message was timed
 */
record Latency(SortedMap<Double, Double> us) {
    /** The stored percentiles, which are sufficient for drawing the distribution. */
    static final List<Double> PERCENTS =
            List.of(1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9);

    static final Latency NONE = new Latency(new TreeMap<>());

    /** Returns a distribution, given a function that returns the latency at a percentile. */
    static Latency of(ToDoubleFunction<Double> us) {
        NavigableMap<Double, Double> map = new TreeMap<>();
        PERCENTS.forEach(percent -> map.put(percent, us.applyAsDouble(percent)));
        return new Latency(map);
    }

    /** Returns a percentile as text in its shortest form. */
    static String text(double percent) {
        return percent == (long) percent ? Long.toString((long) percent) : Double.toString(percent);
    }

    /** Returns the higher of the two latencies at each percentile. */
    Latency worse(Latency other) {
        if (us.isEmpty() || other.us.isEmpty()) {
            return us.isEmpty() ? other : this;
        }
        return of(percent -> Math.max(at(percent), other.at(percent)));
    }

    /** Returns the latency at a percentile; NaN if no message was timed. */
    double at(double percent) {
        return us.getOrDefault(percent, Double.NaN);
    }
}

package io.rocketbufs.benchmarks.compare;

import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * How long messages were on their way.
 *
 * @param us microseconds by percentage of the timed messages that took no longer; empty where none was timed
 */
record Latency(SortedMap<Double, Double> us) {
    /** The percentages that are kept: enough to draw the distribution. */
    static final List<Double> PERCENTS =
            List.of(1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9);

    static final Latency NONE = new Latency(new TreeMap<>());

    /** Asks for each percentage. */
    static Latency of(ToDoubleFunction<Double> us) {
        NavigableMap<Double, Double> map = new TreeMap<>();
        PERCENTS.forEach(percent -> map.put(percent, us.applyAsDouble(percent)));
        return new Latency(map);
    }

    /** Returns a percentage in its shortest form. */
    static String text(double percent) {
        return percent == (long) percent ? Long.toString((long) percent) : Double.toString(percent);
    }

    /** The slower of both at each percentage. */
    Latency worse(Latency other) {
        if (us.isEmpty() || other.us.isEmpty()) {
            return us.isEmpty() ? other : this;
        }
        return of(percent -> Math.max(at(percent), other.at(percent)));
    }

    /** NaN where none was timed. */
    double at(double percent) {
        return us.getOrDefault(percent, Double.NaN);
    }
}

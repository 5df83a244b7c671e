package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.Config;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * The latency distribution of messages.
 *
 * @param us latency in microseconds by percentile; empty if no message was timed
 */
public record Latency(SortedMap<Double, Double> us) {
    /** The stored percentiles, which are sufficient for drawing the distribution. */
    public static final List<Double> PERCENTS =
            List.of(1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9);

    /** The stored percentiles, separated by commas, as the C programs expect them. */
    public static final String PERCENTS_TEXT =
            PERCENTS.stream().map(Latency::text).collect(Collectors.joining(","));

    private static final double MICRO_NS = 1e3;

    public static final Latency NONE = new Latency(new TreeMap<>());

    /** Returns a distribution, given a function that returns the latency at a percentile. */
    public static Latency of(ToDoubleFunction<Double> us) {
        NavigableMap<Double, Double> map = new TreeMap<>();
        PERCENTS.forEach(percent -> map.put(percent, us.applyAsDouble(percent)));
        return new Latency(map);
    }

    /** Returns the distribution in a histogram of times in nanoseconds. */
    static Latency of(Histogram times) {
        return times.getTotalCount() == 0 ? NONE : of(percent -> times.getValueAtPercentile(percent) / MICRO_NS);
    }

    /** Returns the distribution in the field {@code latencyUs} of a load program's report. */
    public static Latency of(Config report) {
        Map<String, Object> us = report.getObject("latencyUs").unwrapped();
        return us.isEmpty() ? NONE : of(percent -> ((Number) us.get(text(percent))).doubleValue());
    }

    /** Returns the shortest text form of a percentile. */
    public static String text(double percent) {
        return percent == (long) percent ? Long.toString((long) percent) : Double.toString(percent);
    }

    /** Returns a distribution with the higher of the two latencies at each percentile. */
    Latency worse(Latency other) {
        if (us.isEmpty() || other.us.isEmpty()) {
            return us.isEmpty() ? other : this;
        }
        return of(percent -> Math.max(at(percent), other.at(percent)));
    }

    /** Returns the latency at a percentile in microseconds, or NaN if no message was timed. */
    public double at(double percent) {
        return us.getOrDefault(percent, Double.NaN);
    }
}

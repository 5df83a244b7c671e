package io.rocketbufs.rocketlog.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of a measurement.
 *
 * @param load the measured load
 * @param counts increases of the counters during the measurement
 * @param calls runs of the broker's code while the clients were running; null if unknown
 * @param faults faults among all records, including those sent before and after the measurement
 * @param latencies measured latencies in nanoseconds; empty if none were measured
 * @param batches the batches of the producers, including those sent before and after the measurement
 */
record LoadResult(
        LogLoad load,
        Counts counts,
        LoadBroker.Calls calls,
        LoadFaults faults,
        Histogram latencies,
        LoadBatches batches) {
    private static final double SECOND_NS = 1e9;
    private static final double MICRO_NS = 1e3;
    private static final double MEGA = 1e6;
    private static final int DIGITS = 3;
    private static final double P50 = 50;
    private static final double P90 = 90;
    private static final double P99 = 99;
    private static final double P999 = 99.9;
    private static final double MAX = 100;

    /**
     * The values of the counters at one moment, or the differences between two moments.
     *
     * @param timeNs time as {@link System#nanoTime}, in nanoseconds
     * @param sent number of records that producers have sent
     * @param acknowledged number of records that count as sent
     * @param consumed total number of records that have arrived at all consumers
     * @param polls total number of polls of all consumers
     * @param cpu processor time used
     */
    record Counts(long timeNs, long sent, long acknowledged, long consumed, long polls, Seconds cpu) {
        Counts minus(Counts earlier) {
            return new Counts(
                    timeNs - earlier.timeNs,
                    sent - earlier.sent,
                    acknowledged - earlier.acknowledged,
                    consumed - earlier.consumed,
                    polls - earlier.polls,
                    cpu.minus(earlier.cpu));
        }

        /** Returns the rate per second that corresponds to a count. */
        private double perSecond(long count) {
            return count * SECOND_NS / timeNs;
        }
    }

    /**
     * Processor times in seconds; NaN where unknown.
     *
     * @param broker processor time of the broker's process
     * @param producers processor time of the threads of all producers
     * @param consumers processor time of the threads of all consumers
     */
    record Seconds(double broker, double producers, double consumers) {
        private Seconds minus(Seconds earlier) {
            return new Seconds(broker - earlier.broker, producers - earlier.producers, consumers - earlier.consumers);
        }
    }

    /** Returns an empty histogram. */
    static Histogram histogram() {
        return new Histogram(DIGITS);
    }

    /** Returns the number of records per second that were sent. */
    double sentPerSecond() {
        return counts.perSecond(counts.sent);
    }

    /** Returns the number of records per second that were acknowledged. */
    double acknowledgedPerSecond() {
        return counts.perSecond(counts.acknowledged);
    }

    /** Returns the number of records per second that were consumed. */
    double consumedPerSecond() {
        return counts.perSecond(counts.consumed);
    }

    /** Returns the number of polls per second. */
    double pollsPerSecond() {
        return counts.perSecond(counts.polls);
    }

    /**
     * Returns the throughput in megabytes of values per second. Values count when consumed or, without consumers, when
     * acknowledged.
     */
    double megabytesPerSecond() {
        double records = load.kind().consumes() ? consumedPerSecond() : acknowledgedPerSecond();
        return records * load.size() / MEGA;
    }

    /** Returns the median latency in microseconds, or null if no latencies were measured. */
    Double p50Micros() {
        return latencyMicros(P50);
    }

    /** Returns the 99th percentile of the latency in microseconds, or null if no latencies were measured. */
    Double p99Micros() {
        return latencyMicros(P99);
    }

    private Double latencyMicros(double percentile) {
        return latencies.getTotalCount() == 0 ? null : latencies.getValueAtPercentile(percentile) / MICRO_NS;
    }

    /** Returns the latency fields of the JSON output. */
    Map<String, Object> latencyFields() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("p50", latencyMicros(P50));
        map.put("p90", latencyMicros(P90));
        map.put("p99", latencyMicros(P99));
        map.put("p999", latencyMicros(P999));
        map.put("max", latencyMicros(MAX));
        return map;
    }

    /** Returns the JSON fields for the runs of the broker's code. */
    Map<String, Object> callFields() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("produce", calls == null ? null : calls.produce());
        map.put("open", calls == null ? null : calls.open());
        // A read or a poll that ran the broker's code would need a message from the client, so this number is an upper
        // bound for both.
        map.put("read", calls == null ? null : calls.others());
        map.put("poll", calls == null ? null : calls.others());
        return map;
    }
}

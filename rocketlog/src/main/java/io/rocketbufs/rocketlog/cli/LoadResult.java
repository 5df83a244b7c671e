package io.rocketbufs.rocketlog.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of a measurement.
 *
 * @param load the measured load
 * @param counts differences over the measurement
 * @param calls runs of the broker's code while the clients were running; null if they are not known
 * @param faults faults among all records, including those sent before and after the measurement
 * @param latencies in nanoseconds; empty if there were none
 */
record LoadResult(LogLoad load, Counts counts, LoadBroker.Calls calls, LoadFaults faults, Histogram latencies) {
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
     * The counters at one moment, or their differences.
     *
     * @param timeNs of {@link System#nanoTime}
     * @param sent records that producers have sent
     * @param acknowledged records that count as sent
     * @param consumed records that have arrived, at all consumers together
     * @param polls polls of all consumers
     * @param cpu processor time
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

        /** Returns a number of these counts per second. */
        private double perSecond(long count) {
            return count * SECOND_NS / timeNs;
        }
    }

    /**
     * Processor time in seconds; NaN if unknown.
     *
     * @param broker of the broker's process
     * @param producers of the threads of all producers
     * @param consumers of the threads of all consumers
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

    /** Returns the values that were consumed, or acknowledged if there are no consumers, in megabytes per second. */
    double megabytesPerSecond() {
        double records = load.kind().consumes() ? consumedPerSecond() : acknowledgedPerSecond();
        return records * load.size() / MEGA;
    }

    /** Returns the median latency in microseconds; null without latencies. */
    Double p50Micros() {
        return latencyMicros(P50);
    }

    /** Returns the latency in microseconds that 99 % do not exceed; null without latencies. */
    Double p99Micros() {
        return latencyMicros(P99);
    }

    private Double latencyMicros(double percentile) {
        return latencies.getTotalCount() == 0 ? null : latencies.getValueAtPercentile(percentile) / MICRO_NS;
    }

    /** Returns the latencies for the JSON output. */
    Map<String, Object> latencyFields() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("p50", latencyMicros(P50));
        map.put("p90", latencyMicros(P90));
        map.put("p99", latencyMicros(P99));
        map.put("p999", latencyMicros(P999));
        map.put("max", latencyMicros(MAX));
        return map;
    }

    /** Returns the runs of the broker's code for the JSON output. */
    Map<String, Object> callFields() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("produce", calls == null ? null : calls.produce());
        map.put("open", calls == null ? null : calls.open());
        // Both would need a message from the client, so this number limits each of them.
        map.put("read", calls == null ? null : calls.others());
        map.put("poll", calls == null ? null : calls.others());
        return map;
    }
}

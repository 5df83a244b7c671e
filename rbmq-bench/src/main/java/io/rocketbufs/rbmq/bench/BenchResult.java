package io.rocketbufs.rbmq.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of a benchmark.
 *
 * @param load the load on the broker
 * @param rates the measured rates
 * @param faults the detected faults
 * @param latencies latencies of timed messages in nanoseconds; null if no message was timed
 * @param cpu processor time of each role during the measurement
 * @param transports names of the publishers' and subscribers' transports
 * @param span time span of the measurement
 */
public record BenchResult(
        BenchLoad load,
        Rates rates,
        Faults faults,
        Histogram latencies,
        CpuTimes cpu,
        Transports transports,
        Span span) {
    private static final double MEGA = 1e6;
    private static final double SECOND_MS = 1000.0;

    /** Rates in messages per second, in total and for each subscriber. */
    public record Rates(double published, List<Double> perSubscriber) {
        /** Returns the rate of delivered messages as the sum over all subscribers. */
        public double delivered() {
            return perSubscriber.stream().mapToDouble(rate -> rate).sum();
        }
    }

    /** Counts of lost, duplicated, reordered and corrupted messages. */
    public record Faults(long lost, long duplicated, long reordered, long corrupted) {
        /** Returns true if there is at least one fault. */
        public boolean any() {
            return lost + duplicated + reordered + corrupted > 0;
        }
    }

    /** Names of the publishers' and subscribers' transports. */
    public record Transports(String publisher, String subscriber) {}

    /** A span of wall-clock time, in milliseconds since 1970-01-01 UTC. */
    public record Span(long beginMs, long endMs) {}

    /** Returns the result as the fields of the JSON output. */
    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("published_per_s", rates.published());
        map.put("delivered_per_s", rates.delivered());
        map.put("per_subscriber_per_s", rates.perSubscriber());
        map.put("goodput_mb_s", goodput());
        map.put("lost", faults.lost());
        map.put("duplicated", faults.duplicated());
        map.put("reordered", faults.reordered());
        map.put("corrupted", faults.corrupted());
        map.put("latency_us", Latencies.percentiles(latencies));
        map.put("achieved_rate", rates.published());
        map.put("cpu_s", cpuMap());
        map.put("transport", transportMap());
        map.put("size", load.length());
        map.put("subs", load.subscriberCount());
        map.put("pubs", load.publisherCount());
        return map;
    }

    /** Returns the result as human-readable text. */
    public String asText() {
        StringBuilder text = new StringBuilder();
        line(text, "published %,14.0f messages/s of %,d bytes", rates.published(), load.length());
        line(text, "delivered %,14.0f messages/s, %,.1f MB/s of payload", rates.delivered(), goodput());
        if (rates.perSubscriber().size() > 1) {
            for (double rate : rates.perSubscriber()) {
                line(text, "          %,14.0f to one subscriber", rate);
            }
        }
        if (latencies != null) {
            line(
                    text,
                    "latency   %s us (%,d messages timed)",
                    Latencies.percentiles(latencies),
                    latencies.getTotalCount());
        }
        double seconds = (span.endMs() - span.beginMs()) / SECOND_MS;
        if (!Double.isNaN(cpu.publishers())) {
            line(
                    text,
                    "CPU       broker %.2f cores, publishers %.2f, subscribers %.2f",
                    cpu.broker() / seconds,
                    cpu.publishers() / seconds,
                    cpu.subscribers() / seconds);
        }
        line(
                text,
                "lost %,d, duplicated %,d, reordered %,d, corrupted %,d",
                faults.lost(),
                faults.duplicated(),
                faults.reordered(),
                faults.corrupted());
        return text.toString();
    }

    private double goodput() {
        return rates.delivered() * load.length() / MEGA;
    }

    private Map<String, Object> cpuMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("broker", cpu.broker());
        map.put("publishers", cpu.publishers());
        map.put("subscribers", cpu.subscribers());
        return map;
    }

    private Map<String, Object> transportMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("publisher", transports.publisher());
        map.put("subscriber", transports.subscriber());
        return map;
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}

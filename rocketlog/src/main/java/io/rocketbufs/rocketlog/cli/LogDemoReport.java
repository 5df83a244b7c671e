package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Rounded;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report of a demo.
 *
 * @param throughput result at the highest rate
 * @param latency result at a fixed rate
 * @param transport name of the transport
 * @param mode how the batches reached the log
 * @param storage where the broker kept them
 * @param acks which records count as sent
 */
record LogDemoReport(
        DemoResult throughput,
        DemoResult latency,
        String transport,
        ProduceMode mode,
        TopicStorage storage,
        Acks acks) {
    private static final double MEGA = 1e6;
    private static final double P50 = 0.5;
    private static final double P90 = 0.9;
    private static final double P99 = 0.99;
    private static final double P999 = 0.999;

    private DemoFaults faults() {
        return throughput.faults().plus(latency.faults());
    }

    /** Returns true when every record of both measurements arrived once, in order and intact. */
    boolean isFaultless() {
        return faults().equals(DemoFaults.NONE);
    }

    private double megabytesPerSecond() {
        return throughput.consumedPerSecond() * DemoRecordLayout.LENGTH / MEGA;
    }

    /** Returns the fields of the JSON output. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("acked_per_s", throughput.acknowledgedPerSecond());
        map.put("consumed_per_s", throughput.consumedPerSecond());
        map.put("mb_s", megabytesPerSecond());
        map.put("latency_us", percentiles());
        map.put("lost", faults().lost());
        map.put("duplicated", faults().duplicated());
        map.put("reordered", faults().reordered());
        map.put("corrupted", faults().corrupted());
        map.put("broker_calls", calls());
        map.put("cpu_s", Map.of("broker", throughput.counts().brokerSeconds()));
        map.put("mode", mode.name().toLowerCase(Locale.ROOT));
        map.put("storage", storage.name().toLowerCase(Locale.ROOT));
        map.put("transport", transport);
        map.put("acks", acks.name().toLowerCase(Locale.ROOT));
        map.put("size", DemoRecordLayout.LENGTH);
        map.put("producers", throughput.load().producers());
        map.put("consumers", throughput.load().partitions());
        map.put("partitions", throughput.load().partitions());
        return map;
    }

    private Map<String, Object> percentiles() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("p50", latency.latencyMicros(P50));
        map.put("p90", latency.latencyMicros(P90));
        map.put("p99", latency.latencyMicros(P99));
        map.put("p999", latency.latencyMicros(P999));
        map.put("max", latency.latencyMicros(1));
        return map;
    }

    private Map<String, Object> calls() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("produce", throughput.calls().produce());
        map.put("open", throughput.calls().open());
        // Each would need a message from the client, so this number is an upper bound for both.
        map.put("read", throughput.calls().others());
        map.put("poll", throughput.calls().others());
        return map;
    }

    /**
     * Returns the lines for users.
     *
     * @param command how the user calls this program
     */
    List<String> asLines(String command) {
        String measured = String.format(
                Locale.ROOT,
                "throughput  %s records/s acknowledged, %s consumed, of %d bytes each: %s MB/s",
                Rounded.number(throughput.acknowledgedPerSecond()),
                Rounded.number(throughput.consumedPerSecond()),
                DemoRecordLayout.LENGTH,
                Rounded.number(megabytesPerSecond()));
        String timed = latency.latenciesNs().length == 0
                ? "latency     no record arrived"
                : String.format(
                        Locale.ROOT,
                        "latency     p50 %s  p99 %s, from producer to consumer, at %,d records/s",
                        Rounded.micros(latency.latencyMicros(P50)),
                        Rounded.micros(latency.latencyMicros(P99)),
                        latency.load().rate());
        String called = String.format(
                Locale.ROOT,
                "broker      its code ran %,d times to append batches, %,d times to open and close segments for"
                        + " consumers, and %,d times for reading",
                throughput.calls().produce(),
                throughput.calls().open(),
                throughput.calls().others());
        return List.of(
                measured,
                timed,
                called,
                isFaultless()
                        ? "Every record arrived exactly once, in order and intact."
                        : "Not every record arrived exactly once, in order and intact: " + describeFaults(),
                "",
                "Next, run each of these in its own terminal:",
                "  " + command + " broker",
                "  " + command + " topics create prices && " + command + " consume prices",
                "  " + command + " produce prices hello");
    }

    private String describeFaults() {
        DemoFaults faults = faults();
        return faults.lost() + " lost, " + faults.duplicated() + " duplicated, " + faults.reordered() + " reordered, "
                + faults.corrupted() + " corrupted";
    }
}

package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Rounded;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report on a demo.
 *
 * @param throughput result of the measurement at the maximum rate
 * @param latency result of the measurement at a fixed rate
 * @param transport name of the transport
 * @param storage where the broker kept the records
 * @param acks which records count as sent
 */
record LogDemoReport(LoadResult throughput, LoadResult latency, String transport, TopicStorage storage, Acks acks) {
    private LoadFaults faults() {
        return throughput.faults().plus(latency.faults());
    }

    /** Returns true if, in both measurements, every record arrived exactly once, in order, and intact. */
    boolean isFaultless() {
        return faults().equals(LoadFaults.NONE);
    }

    private LoadBatches batches() {
        return throughput.batches().plus(latency.batches());
    }

    /** Returns true if the producers used the requested mode. */
    boolean isInRequestedMode() {
        return batches().areAsRequested();
    }

    /** Returns the fields of the JSON output. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("acked_per_s", throughput.acknowledgedPerSecond());
        map.put("consumed_per_s", throughput.consumedPerSecond());
        map.put("mb_s", throughput.megabytesPerSecond());
        map.put("latency_us", latency.latencyFields());
        map.put("lost", faults().lost());
        map.put("duplicated", faults().duplicated());
        map.put("reordered", faults().reordered());
        map.put("corrupted", faults().corrupted());
        map.put("broker_calls", throughput.callFields());
        map.put("cpu_s", Map.of("broker", throughput.counts().cpu().broker()));
        batches().addTo(map);
        map.put("storage", storage.name().toLowerCase(Locale.ROOT));
        map.put("transport", transport);
        map.put("acks", acks.name().toLowerCase(Locale.ROOT));
        map.put("size", throughput.load().size());
        map.put("producers", throughput.load().producers());
        map.put("consumers", throughput.load().consumers());
        map.put("partitions", throughput.load().partitions());
        return map;
    }

    /**
     * Returns the lines of the human-readable output.
     *
     * @param command the command with which the user runs this program
     */
    List<String> asLines(String command) {
        String measured = String.format(
                Locale.ROOT,
                "throughput  %s records/s acknowledged, %s consumed, of %d bytes each: %s MB/s",
                Rounded.number(throughput.acknowledgedPerSecond()),
                Rounded.number(throughput.consumedPerSecond()),
                throughput.load().size(),
                Rounded.number(throughput.megabytesPerSecond()));
        String timed = latency.p50Micros() == null
                ? "latency     no record arrived"
                : String.format(
                        Locale.ROOT,
                        "latency     p50 %s  p99 %s, from producer to consumer, at %,d records/s",
                        Rounded.micros(latency.p50Micros()),
                        Rounded.micros(latency.p99Micros()),
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
                batches().asLine(),
                isFaultless()
                        ? "Every record arrived exactly once, in order and intact."
                        : "Not every record arrived exactly once, in order and intact: " + faults().describe(),
                "",
                "Next, run each of these in its own terminal:",
                "  " + command + " broker",
                "  " + command + " topics create prices && " + command + " consume prices",
                "  " + command + " produce prices hello");
    }
}

package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Rounded;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.Latencies;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report of a demo.
 *
 * @param throughput result at the highest rate
 * @param latency result at a fixed rate, which times every message
 */
record DemoReport(BenchResult throughput, BenchResult latency) {
    private static final double MILLION = 1e6;

    /** Returns true if every message of both measurements arrived exactly once, in order and intact. */
    boolean isFaultless() {
        return !throughput.faults().any() && !latency.faults().any();
    }

    /** Returns the fields of the JSON output: the result of the throughput benchmark, and the latency at a low rate. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>(throughput.asMap());
        BenchResult.Faults first = throughput.faults();
        BenchResult.Faults second = latency.faults();
        map.put("lost", first.lost() + second.lost());
        map.put("duplicated", first.duplicated() + second.duplicated());
        map.put("reordered", first.reordered() + second.reordered());
        map.put("corrupted", first.corrupted() + second.corrupted());
        map.put("latency_us", Latencies.percentiles(latency.latencies()));
        return map;
    }

    /**
     * Returns the human-readable lines of the report.
     *
     * @param command the command with which the user starts this program
     */
    List<String> asLines(String command) {
        double delivered = throughput.rates().delivered();
        String measured = String.format(
                Locale.ROOT,
                "throughput  %s messages/s published, %s delivered, of %d bytes each: %s MB/s",
                Rounded.number(throughput.rates().published()),
                Rounded.number(delivered),
                throughput.load().length(),
                Rounded.number(delivered * throughput.load().length() / MILLION));
        Map<String, Object> percentiles = Latencies.percentiles(latency.latencies());
        String timed = latency.latencies() == null
                ? "latency     no message arrived"
                : String.format(
                        Locale.ROOT,
                        "latency     p50 %s  p99 %s, at %,d messages/s",
                        Rounded.micros((Double) percentiles.get("p50")),
                        Rounded.micros((Double) percentiles.get("p99")),
                        latency.load().rate());
        return List.of(
                measured,
                timed,
                "            Both are measured end to end: publisher -> broker -> subscriber.",
                isFaultless()
                        ? "Every message arrived at every subscriber exactly once, in order and intact."
                        : "Not every message arrived exactly once, in order and intact: " + faults(),
                "",
                "Next, run each of these in its own terminal:",
                "  " + command + " broker",
                "  " + command + " sub prices",
                "  " + command + " pub prices hello");
    }

    private String faults() {
        Map<String, Object> all = asMap();
        return all.get("lost") + " lost, " + all.get("duplicated") + " duplicated, " + all.get("reordered")
                + " reordered, " + all.get("corrupted") + " corrupted";
    }
}

package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.Latencies;
import java.math.BigDecimal;
import java.math.MathContext;
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
    private static final double THOUSAND = 1e3;
    private static final double MILLION = 1e6;
    private static final double TEN = 10;
    private static final MathContext TWO_DIGITS = new MathContext(2);

    /** Returns true when every message of both measurements arrived exactly once, in order and intact. */
    boolean isFaultless() {
        return !throughput.faults().any() && !latency.faults().any();
    }

    /** Returns the fields of the JSON output: those of the throughput benchmark, and the latency at a low rate. */
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
     * Returns the lines for users.
     *
     * @param command how the user calls this program
     */
    List<String> asLines(String command) {
        double delivered = throughput.rates().delivered();
        String measured = String.format(
                Locale.ROOT,
                "throughput  %s messages/s published, %s delivered, of %d bytes each: %s MB/s",
                rounded(throughput.rates().published()),
                rounded(delivered),
                throughput.load().length(),
                rounded(delivered * throughput.load().length() / MILLION));
        Map<String, Object> percentiles = Latencies.percentiles(latency.latencies());
        String timed = latency.latencies() == null
                ? "latency     no message arrived"
                : String.format(
                        Locale.ROOT,
                        "latency     p50 %s  p99 %s, at %,d messages/s",
                        time((Double) percentiles.get("p50")),
                        time((Double) percentiles.get("p99")),
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

    /** Returns a number with two significant digits, and commas between thousands. */
    static String rounded(double number) {
        BigDecimal two = BigDecimal.valueOf(number).round(TWO_DIGITS);
        return String.format(Locale.ROOT, two.abs().doubleValue() < TEN ? "%,.1f" : "%,.0f", two);
    }

    /** Returns a time with two significant digits. */
    static String time(double micros) {
        if (micros < THOUSAND) {
            return rounded(micros) + " us";
        }
        return micros < MILLION ? rounded(micros / THOUSAND) + " ms" : rounded(micros / MILLION) + " s";
    }
}

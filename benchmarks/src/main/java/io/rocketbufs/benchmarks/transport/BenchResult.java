package io.rocketbufs.benchmarks.transport;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * What a run found, as a line of JSON: the same fields from Java as from C.
 *
 * @param json the line
 */
record BenchResult(String json) {
    private static final double SECOND_NS = 1e9;

    /**
     * Of the rate mode.
     *
     * @param messages that arrived between the marks
     * @param ns between the marks
     * @param starvations of the sender
     * @param senderNs of processor, of the sender's process between the marks
     * @param receiverNs the same of the receiver's
     */
    static BenchResult rate(BenchRun run, long messages, long ns, long starvations, long senderNs, long receiverNs) {
        double perSecond = messages / (ns / SECOND_NS);
        return of(
                run,
                String.format(
                        Locale.ROOT,
                        "\"seconds\":%.3f,\"messages\":%d,\"messagesPerSecond\":%.1f,\"bytesPerSecond\":%.1f,"
                                + "\"starvations\":%d,\"senderCpuNs\":%.1f,\"receiverCpuNs\":%.1f,\"cpuNs\":%.1f",
                        ns / SECOND_NS,
                        messages,
                        perSecond,
                        perSecond * run.size(),
                        starvations,
                        (double) senderNs / messages,
                        (double) receiverNs / messages,
                        (double) (senderNs + receiverNs) / messages));
    }

    static BenchResult latency(BenchRun run, Histogram halfRoundTrips) {
        return of(
                run,
                String.format(
                        Locale.ROOT,
                        "\"seconds\":%.3f,\"messages\":%d,\"p50Ns\":%d,\"p99Ns\":%d",
                        run.durationNs() / SECOND_NS,
                        halfRoundTrips.getTotalCount(),
                        halfRoundTrips.getValueAtPercentile(50),
                        halfRoundTrips.getValueAtPercentile(99)));
    }

    private static BenchResult of(BenchRun run, String found) {
        return new BenchResult(String.format(
                Locale.ROOT,
                "{\"program\":\"java\",\"mode\":\"%s\",\"size\":%d,\"capacity\":%d,\"credit\":\"%s\",%s}",
                run.mode().name().toLowerCase(Locale.ROOT),
                run.size(),
                run.capacity(),
                run.credit().name().toLowerCase(Locale.ROOT),
                found));
    }

    /** With what the run itself does not know. */
    BenchResult over(BenchOptions options) {
        return new BenchResult(String.format(
                Locale.ROOT,
                "{\"transport\":\"%s\",\"provider\":\"%s\",\"wait\":\"%s\",\"window\":%d,\"signalInterval\":%d,"
                        + "\"inject\":%d,%s",
                options.text("transport"),
                options.text("provider"),
                options.text("wait"),
                options.number("window"),
                options.number("signal-interval"),
                options.number("inject"),
                json.substring(1)));
    }

    /**
     * A number of the line.
     *
     * @throws IllegalArgumentException where there is none of that name
     */
    double number(String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":([-0-9.eE+]+)").matcher(json);
        if (!matcher.find()) {
            throw new IllegalArgumentException("no number " + name + " in: " + json);
        }
        return Double.parseDouble(matcher.group(1));
    }
}

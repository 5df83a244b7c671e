package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Rounded;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report on a measurement of {@code rocketlog bench}.
 *
 * @param result the result of the measurement
 * @param transport name of the transport
 * @param settings the settings of the producers
 */
record LogBenchReport(LoadResult result, String transport, LogClientSettings.Producer settings) {
    /** Returns true if every record arrived exactly once, in order, and intact. */
    boolean isFaultless() {
        return result.faults().equals(LoadFaults.NONE);
    }

    /** Returns true if the producers used the requested mode. */
    boolean isInRequestedMode() {
        return result.batches().areAsRequested();
    }

    /** Returns the fields of the JSON output. */
    Map<String, Object> asMap() {
        LogLoad load = result.load();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("bench", lower(load.kind()));
        map.put("produced_per_s", result.sentPerSecond());
        map.put("acked_per_s", result.acknowledgedPerSecond());
        map.put("consumed_per_s", result.consumedPerSecond());
        map.put("polls_per_s", result.pollsPerSecond());
        map.put("mb_s", result.megabytesPerSecond());
        map.put("latency_us", result.latencyFields());
        map.put("lost", result.faults().lost());
        map.put("duplicated", result.faults().duplicated());
        map.put("reordered", result.faults().reordered());
        map.put("corrupted", result.faults().corrupted());
        map.put("cpu_s", cpuFields());
        map.put("broker_calls", result.callFields());
        result.batches().addTo(map);
        map.put("transport", transport);
        map.put("size", load.size());
        map.put("batch", settings.batchLength());
        map.put("acks", lower(settings.acks()));
        map.put("rate", load.rate() == 0 ? null : load.rate());
        map.put("partitions", load.partitions());
        map.put("producers", load.producers());
        map.put("consumers", load.consumers());
        return map;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Map<String, Object> cpuFields() {
        LoadResult.Seconds cpu = result.counts().cpu();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("broker", cpu.broker());
        map.put("producers", cpu.producers());
        map.put("consumers", cpu.consumers());
        return map;
    }

    /** Returns the lines of the human-readable output. */
    List<String> asLines() {
        LogLoad load = result.load();
        List<String> lines = new ArrayList<>();
        if (load.kind().produces()) {
            lines.add("produced    " + perSecond(result.sentPerSecond(), "records") + ", "
                    + Rounded.number(result.acknowledgedPerSecond()) + " acknowledged");
            lines.add(result.batches().asLine());
        }
        if (load.kind().consumes()) {
            lines.add("consumed    " + perSecond(result.consumedPerSecond(), "records") + " with "
                    + perSecond(result.pollsPerSecond(), "polls"));
        }
        lines.add("throughput  " + Rounded.number(result.megabytesPerSecond()) + " MB/s, in records of " + load.size()
                + " bytes each");
        lines.add(
                result.p50Micros() == null
                        ? "latency     nothing was measured"
                        : "latency     p50 " + Rounded.micros(result.p50Micros()) + "  p99 "
                                + Rounded.micros(result.p99Micros()));
        LoadResult.Seconds cpu = result.counts().cpu();
        lines.add("processor   " + seconds("broker", cpu.broker()) + ", " + seconds("producers", cpu.producers()) + ", "
                + seconds("consumers", cpu.consumers()));
        if (result.calls() != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "broker      its code ran %,d times to append batches, %,d times to open and close segments for"
                            + " consumers, and %,d times for reading and polling",
                    result.calls().produce(),
                    result.calls().open(),
                    result.calls().others()));
        }
        lines.add(
                isFaultless()
                        ? "No record was lost, duplicated, reordered or corrupted."
                        : "There were faults: " + result.faults().describe());
        return lines;
    }

    private static String perSecond(double number, String what) {
        return Rounded.number(number) + " " + what + "/s";
    }

    private static String seconds(String role, double seconds) {
        return role + (Double.isNaN(seconds) ? " unknown" : String.format(Locale.ROOT, " %.2f s", seconds));
    }
}

package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.benchmarks.Revision;
import io.rocketbufs.rbmq.bench.RoleProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * RBMQ, measured with its own command-line tool. The broker, publishers and subscribers are separate processes. Every
 * message is published with a separate call, unless the settings contain {@code --batch}.
 */
final class Rbmq implements Contender {
    private static final long PATIENCE_MS = 60_000;
    /** Estimated time in ms to start and end the processes of a measurement. */
    private static final long START_MS = 3_000;
    /** Duration of the warm-up in ms, during which the JVMs compile code under load. */
    private static final long WARMUP_MS = 6_000;
    /** Duration of the warm-up in ms under light load, where compilation takes longer. */
    private static final long LONG_WARMUP_MS = 12_000;
    /** Additional warm-up in ms for each further process, because many JVMs compile code on the same processors. */
    private static final long PROCESS_WARMUP_MS = 4_000;

    /** The option that publishes several messages with one call. */
    static final String BATCH = "--batch";

    private final String name;
    private final Path command;
    private final List<String> settings;
    private final boolean mayLose;

    /**
     * Creates the contender.
     *
     * @param command bin/rbmq
     * @param settings additional arguments of the command
     * @param mayLose true if these settings allow messages to be lost; losses are then not counted as faults
     */
    Rbmq(String name, Path command, List<String> settings, boolean mayLose) {
        this.name = name;
        this.command = command;
        this.settings = settings;
        this.mayLose = mayLose;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return Revision.of(command.getParent());
    }

    @Override
    public String settings() {
        return settings.isEmpty() ? "defaults" : String.join(" ", settings);
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        // Messages that are due at different times are published individually.
        return cell.experiment() != BrokerExperiment.LATENCY || !settings.contains(BATCH);
    }

    @Override
    public long estimateMs(Cell cell, Span span, int count) {
        long warmupMs = Math.max(warmupMs(cell, loads(cell).get(0)), span.warmupMs());
        return count * (warmupMs + span.durationMs() + START_MS);
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(Math.max(1, cell.publishers()), 1));
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        long warmupMs = Math.max(warmupMs(cell, load), span.warmupMs());
        Path latencies = Files.createTempFile("bench", ".hdr");
        try (Child child =
                new Child(name, command.getParent(), Map.of(), arguments(cell, load, span, warmupMs, latencies))) {
            List<String> lines = child.rest(PATIENCE_MS + warmupMs + span.durationMs());
            String json = lines.stream()
                    .filter(line -> line.startsWith("{"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(name + " failed: " + String.join(" / ", lines)));
            return found(cell, span, ConfigFactory.parseString(json), latency(latencies));
        } finally {
            Files.delete(latencies);
        }
    }

    private static long warmupMs(Cell cell, Load load) {
        if (cell.experiment() == BrokerExperiment.THROUGHPUT) {
            return WARMUP_MS;
        }
        int publishers = RoleProcesses.count(load.publishers());
        int subscribers = RoleProcesses.count(Math.max(1, cell.subscribers()));
        return LONG_WARMUP_MS + PROCESS_WARMUP_MS * (publishers + subscribers - 2);
    }

    private List<String> arguments(Cell cell, Load load, Span span, long warmupMs, Path latencies) {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("size", cell.size());
        options.put("warmup", warmupMs + "ms");
        options.put("duration", span.durationMs() + "ms");
        options.put("hdr", latencies);
        if (cell.experiment() != BrokerExperiment.LATENCY) {
            options.put("pubs", load.publishers());
            options.put("subs", cell.subscribers());
            options.put("topics", cell.topics());
        }
        if (cell.rate() > 0) {
            options.put("rate", cell.rate());
        }
        List<String> arguments = new ArrayList<>(List.of(command.toString(), "bench"));
        arguments.add(cell.experiment() == BrokerExperiment.LATENCY ? "latency" : "throughput");
        options.forEach((option, value) -> arguments.addAll(List.of("--" + option, value.toString())));
        arguments.add("--json");
        arguments.addAll(settings);
        return arguments;
    }

    private static Latency latency(Path log) throws IOException {
        try (HistogramLogReader reader = new HistogramLogReader(log.toFile())) {
            return reader.nextIntervalHistogram() instanceof Histogram histogram ? Latency.of(histogram) : Latency.NONE;
        }
    }

    private Measurement found(Cell cell, Span span, Config result, Latency latency) {
        return new Measurement(
                cell.subscribers() == 0
                        ? result.getDouble("published_per_s")
                        : result.getDouble("delivered_per_s") / cell.subscribers(),
                result.getDouble("cpu_s.broker") / span.seconds(),
                result.getDouble("cpu_s.publishers") / span.seconds(),
                result.getDouble("cpu_s.subscribers") / span.seconds(),
                latency,
                (mayLose ? 0 : result.getLong("lost"))
                        + result.getLong("duplicated")
                        + result.getLong("reordered")
                        + result.getLong("corrupted"));
    }

    @Override
    public void close() {
        // Each measurement ends the processes that it started.
    }
}

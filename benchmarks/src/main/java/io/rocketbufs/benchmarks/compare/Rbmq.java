package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * RBMQ with its own command line: broker, publisher and subscribers are processes of their own, and every message is a
 * call.
 */
final class Rbmq implements Contender {
    private static final long PATIENCE_MS = 60_000;
    /** A JVM is compiled while it is loaded. */
    private static final long LEAST_WARMUP_MS = 4_000;

    private final String name;
    private final Path command;
    private final List<String> settings;

    /**
     * Prepares it.
     *
     * @param command bin/rbmq
     * @param settings more of its arguments
     */
    Rbmq(String name, Path command, List<String> settings) {
        this.name = name;
        this.command = command;
        this.settings = settings;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() throws IOException, InterruptedException {
        List<String> git = List.of("git", "log", "-1", "--format=commit %h");
        try (Child child = new Child("git", command.getParent(), Map.of(), git)) {
            return String.join(" ", child.rest(PATIENCE_MS)) + ", Java " + Runtime.version();
        }
    }

    @Override
    public String settings() {
        return settings.isEmpty() ? "defaults" : String.join(" ", settings);
    }

    @Override
    public List<Load> loads() {
        return List.of(new Load(1, 1));
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(command.toString(), "bench", "throughput", "--json"));
        arguments.addAll(List.of("--pubs", Integer.toString(load.publishers())));
        arguments.addAll(List.of("--subs", Integer.toString(cell.subscribers())));
        arguments.addAll(List.of("--size", Integer.toString(cell.size())));
        arguments.addAll(List.of("--warmup", Math.max(LEAST_WARMUP_MS, span.warmupMs()) + "ms"));
        arguments.addAll(List.of("--duration", span.durationMs() + "ms"));
        arguments.addAll(settings);
        try (Child child = new Child(name, command.getParent(), Map.of(), arguments)) {
            List<String> lines = child.rest(PATIENCE_MS + span.warmupMs() + span.durationMs());
            String json = lines.stream()
                    .filter(line -> line.startsWith("{"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(name + " failed: " + String.join(" / ", lines)));
            return found(cell, span, ConfigFactory.parseString(json));
        }
    }

    private static Measurement found(Cell cell, Span span, Config result) {
        boolean timed = cell.subscribers() > 0 && result.hasPath("latency_us.p50");
        return new Measurement(
                cell.subscribers() == 0
                        ? result.getDouble("published_per_s")
                        : result.getDouble("delivered_per_s") / cell.subscribers(),
                result.getDouble("cpu_s.broker") / span.seconds(),
                result.getDouble("cpu_s.publishers") / span.seconds(),
                result.getDouble("cpu_s.subscribers") / span.seconds(),
                timed ? result.getDouble("latency_us.p50") : Double.NaN,
                timed ? result.getDouble("latency_us.p99") : Double.NaN,
                result.getLong("lost")
                        + result.getLong("duplicated")
                        + result.getLong("reordered")
                        + result.getLong("corrupted"));
    }

    @Override
    public void close() {
        // Each measurement ends what it has started.
    }
}

package io.rocketbufs.benchmarks.shm;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Latency;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Two C processes that exchange messages through two pipes, see {@code pipe_trip.c}. */
final class PipeContender implements Contender {
    private static final long PATIENCE_MS = 60_000;
    /**
     * Maximum duration of the warm-up in ms. C programs need no JIT compilation, so a longer warm-up has no benefit.
     */
    private static final long MAX_WARMUP_MS = 500;

    private final String name;
    private final Path program;

    PipeContender(String name, Path program) {
        this.name = name;
        this.program = program;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return "pipe_trip.c";
    }

    @Override
    public String settings() {
        return "blocking reads and writes";
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.experiment() == ShmExperiment.ROUND_TRIP;
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(1, 1));
    }

    @Override
    public long estimateMs(Cell cell, Span span, int count) {
        return count * (warmupMs(span) + span.durationMs());
    }

    private static long warmupMs(Span span) {
        return Math.min(span.warmupMs(), MAX_WARMUP_MS);
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        List<String> command = List.of(
                program.toString(),
                "" + cell.size(),
                "" + warmupMs(span),
                "" + span.durationMs(),
                Latency.PERCENTS_TEXT);
        try (Child child = new Child(name, program.getParent(), Map.of(), command)) {
            Config report =
                    ConfigFactory.parseString(child.await("{", PATIENCE_MS + warmupMs(span) + span.durationMs()));
            return new Measurement(
                    report.getDouble("perSecond"),
                    0,
                    report.getDouble("cpuSeconds") / span.seconds(),
                    report.getDouble("otherCpuSeconds") / span.seconds(),
                    Latency.of(report),
                    0);
        }
    }

    @Override
    public void close() {
        // Each measurement ends the processes that it started.
    }
}

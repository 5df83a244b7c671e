package io.rocketbufs.benchmarks.shm;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.benchmarks.JavaCommand;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Comparison;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Latency;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import io.rocketbufs.benchmarks.shm.load.ExchangeProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two Java processes that exchange messages through a library. Each measurement starts new processes. */
final class ProcessPair implements Contender {
    private static final long PATIENCE_MS = 120_000;
    /** Estimated time in ms to start and end the processes of a measurement. */
    private static final long START_MS = 1_500;

    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xmn64m", "-Dlog.level=warn");

    private final Product product;
    private final Path memory;

    /**
     * A library and its settings.
     *
     * @param name short name, which is the same in every table
     * @param version the product's name and version
     * @param settings settings that affect the results
     * @param flags JVM flags
     * @param arguments first arguments of the program
     */
    record Product(String name, String version, String settings, List<String> flags, List<String> arguments) {}

    /**
     * Creates the contender.
     *
     * @param memory folder in memory for files that the processes share
     */
    ProcessPair(Product product, Path memory) {
        this.product = product;
        this.memory = memory;
    }

    @Override
    public String name() {
        return product.name();
    }

    @Override
    public String version() {
        return product.version();
    }

    @Override
    public String settings() {
        return product.settings();
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.experiment() instanceof ShmExperiment;
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(1, 1));
    }

    @Override
    public long estimateMs(Cell cell, Span span, int count) {
        return count * (START_MS + span.warmupMs() + span.durationMs());
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(memory, "bench");
        try (Child receiving = start("receiver", directory, cell, List.of())) {
            String port = receiving.await("ready ", PATIENCE_MS).substring("ready ".length());
            try (Child sending = start("sender", directory, cell, List.of(port))) {
                sending.await("ready", PATIENCE_MS);
                sending.letRun(span.warmupMs());
                tell("begin", receiving, sending);
                sending.letRun(span.durationMs());
                tell("end", receiving, sending);
                return found(
                        span,
                        ConfigFactory.parseString(sending.await("{", PATIENCE_MS)),
                        ConfigFactory.parseString(receiving.await("{", PATIENCE_MS)));
            }
        } finally {
            Comparison.delete(directory);
        }
    }

    private Child start(String role, Path directory, Cell cell, List<String> more) throws IOException {
        List<String> flags = new ArrayList<>(FLAGS);
        flags.addAll(product.flags());
        List<String> arguments = new ArrayList<>(product.arguments());
        arguments.addAll(List.of(directory.toString(), "" + cell.size(), "" + cell.experiment()));
        arguments.addAll(more);
        return new Child(
                name() + " " + role,
                directory,
                Map.of(),
                JavaCommand.of(flags, ExchangeProgram.class.getName(), arguments));
    }

    private static void tell(String line, Child receiving, Child sending) {
        receiving.order(line);
        sending.order(line);
    }

    private Measurement found(Span span, Config sender, Config receiver) throws IOException {
        double perSecond = receiver.getDouble("perSecond");
        if (perSecond == 0) {
            throw new IOException(name() + ": no message has arrived during the measurement");
        }
        return new Measurement(
                perSecond,
                0,
                sender.getDouble("cpuSeconds") / span.seconds(),
                receiver.getDouble("cpuSeconds") / span.seconds(),
                Latency.of(sender),
                sender.getLong("faults") + receiver.getLong("faults"));
    }

    @Override
    public void close() {
        // Each measurement ends the processes that it started.
    }
}

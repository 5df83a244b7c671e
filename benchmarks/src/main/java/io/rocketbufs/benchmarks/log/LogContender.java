package io.rocketbufs.benchmarks.log;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Comparison;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Experiment;
import io.rocketbufs.benchmarks.compare.Latency;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import io.rocketbufs.benchmarks.log.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A log with its clients. Each measurement has a client process of its own. Each measurement with producers has a
 * broker of its own too, with an empty folder that is deleted afterwards, so that the space in use does not grow with
 * the number of measurements. Consumers share one broker and its topic in a cell.
 */
final class LogContender implements Contender {
    /** Length of a segment of every log. */
    static final int SEGMENT_LENGTH = 64 << 20;

    private static final String TOPIC = "records";
    private static final long PATIENCE_MS = 120_000;

    private final LogSystem system;
    private final Path folder;
    private LogSystem.RunningBroker broker;
    private Path brokerFolder;
    private Cell brokerCell;

    /**
     * Creates a contender, which starts its first broker when it is measured.
     *
     * @param folder existing folder for the logs
     */
    LogContender(LogSystem system, Path folder) {
        this.system = system;
        this.folder = folder;
    }

    @Override
    public String name() {
        return system.name();
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return system.version();
    }

    @Override
    public String settings() {
        return system.settings();
    }

    @Override
    public boolean takesPartIn(Experiment experiment) {
        return experiment instanceof LogExperiment each && system.takesPartIn(each);
    }

    @Override
    public List<Load> loads(Cell cell) {
        return system.loads(cell);
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        LogExperiment experiment = (LogExperiment) cell.experiment();
        useBrokerFor(cell, experiment);
        try (Child client = new Child(name() + " client", folder, Map.of(), client(cell, experiment, load))) {
            client.await("ready", PATIENCE_MS);
            client.letRun(span.warmupMs());
            double brokerSeconds = -broker.cpuSeconds();
            client.order("begin");
            client.letRun(span.durationMs());
            client.order("end");
            brokerSeconds += broker.cpuSeconds();
            Config report = ConfigFactory.parseString(client.await("{", PATIENCE_MS));
            return found(experiment, span, brokerSeconds, report);
        } finally {
            if (!experiment.consumes()) {
                close();
            }
        }
    }

    private void useBrokerFor(Cell cell, LogExperiment experiment) throws IOException, InterruptedException {
        if (cell.equals(brokerCell)) {
            return;
        }
        close();
        brokerFolder = Files.createTempDirectory(folder, name());
        brokerCell = cell;
        broker = system.start(brokerFolder, experiment.flushes());
    }

    private List<String> client(Cell cell, LogExperiment experiment, Load load) {
        LoadOptions options = new LoadOptions(
                experiment.workload(),
                TOPIC,
                cell.size(),
                load.window(),
                experiment.fetch(cell.size()),
                experiment.records(),
                experiment.recordBatch(),
                LogExperiment.clients(cell));
        return system.client(broker, options);
    }

    private static Measurement found(LogExperiment experiment, Span span, double brokerSeconds, Config report) {
        double clientCores = report.getDouble("cpuSeconds") / span.seconds();
        return new Measurement(
                report.getDouble("perSecond"),
                brokerSeconds / span.seconds(),
                experiment.consumes() ? 0 : clientCores,
                experiment.consumes() ? clientCores : 0,
                Latency.of(report),
                report.getLong("faults"));
    }

    /** Ends the broker, and deletes its logs. */
    @Override
    public void close() throws IOException {
        if (broker != null) {
            broker.close();
            broker = null;
        }
        if (brokerFolder != null) {
            Comparison.delete(brokerFolder);
            brokerFolder = null;
        }
        brokerCell = null;
    }
}

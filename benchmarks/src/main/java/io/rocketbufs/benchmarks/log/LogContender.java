package io.rocketbufs.benchmarks.log;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Comparison;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Latency;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import io.rocketbufs.benchmarks.log.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;

/**
 * A log with its clients. One broker process and one client process serve all measurements with the same
 * {@link BrokerTerms}, so that their code is compiled only once. A {@link WarmUp} precedes the first measurement of a
 * cell; a short warm-up precedes every other measurement. Between two measurements, a signal pauses both processes.
 * Retention limits the space of the topics, or the space is freed after each measurement.
 */
final class LogContender implements Contender {
    private static final String TOPIC = "records";
    private static final long PATIENCE_MS = 180_000;
    /** Growth of the logs in bytes at which a warm-up ends, because some logs grow until the end of the measurement. */
    private static final long MOST_GROWTH = 3L << 30;
    /** Estimated time in ms to open and close the clients of a measurement. */
    private static final long OPEN_MS = 700;
    /** Estimated time in ms to start a broker and a client process, divided by the number of cells that they serve. */
    private static final long START_MS = 1_000;

    private static final double SECOND_MS = 1e3;

    private final LogSystem system;
    private final Path folder;
    private final WarmUp warmUp;
    private final LongSummaryStatistics warmUps = new LongSummaryStatistics();
    private final Set<Object> warm = new HashSet<>();
    private long shortWarmUps;
    private BrokerTerms terms;
    private Path brokerFolder;
    private LogSystem.RunningBroker broker;
    private Child client;

    /**
     * Creates a contender. It starts its first broker when it is first measured.
     *
     * @param folder existing folder for the logs
     */
    LogContender(LogSystem system, Path folder, WarmUp warmUp) {
        this.system = system;
        this.folder = folder;
        this.warmUp = warmUp;
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
    public boolean takesPartIn(Cell cell) {
        return cell.experiment() instanceof LogExperiment && system.takesPartIn(cell);
    }

    @Override
    public List<Load> loads(Cell cell) {
        return system.loads(cell);
    }

    @Override
    public long estimateMs(Cell cell, Span span, int count) {
        return count == 0
                ? 0
                : START_MS
                        + warmUp.estimateMs(cell.rate() > 0)
                        + count * (OPEN_MS + span.warmupMs() + span.durationMs());
    }

    @Override
    public String remarks() {
        if (warmUps.getCount() == 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "warm-up of %.1f to %.1f s before the first measurement of a cell, %.0f s in total; and %d short ones",
                warmUps.getMin() / SECOND_MS,
                warmUps.getMax() / SECOND_MS,
                warmUps.getSum() / SECOND_MS,
                shortWarmUps);
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        try {
            prepare(BrokerTerms.of(cell));
            client.order(options(cell, load).line());
            client.await("ready", PATIENCE_MS);
            warmUp(cell, load, span);
            double brokerSeconds = -broker.cpuSeconds();
            client.order("begin");
            client.letRun(span.durationMs());
            client.order("end");
            brokerSeconds += broker.cpuSeconds();
            Config report = ConfigFactory.parseString(client.await("{", PATIENCE_MS));
            client.pause();
            broker.pause();
            return found((LogExperiment) cell.experiment(), span, brokerSeconds, report);
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Starts the processes unless they are already running with these terms. */
    private void prepare(BrokerTerms wanted) throws IOException, InterruptedException {
        if (!wanted.equals(terms)) {
            close();
            brokerFolder = Files.createTempDirectory(folder, name());
            terms = wanted;
            broker = system.start(brokerFolder, wanted);
            client = new Child(name() + " client", folder, Map.of(), system.client(broker)).failingAt(system.failure());
        }
        broker.resume();
        client.resume();
    }

    private static LoadOptions options(Cell cell, Load load) {
        LogExperiment experiment = (LogExperiment) cell.experiment();
        return new LoadOptions(
                experiment.workload(),
                experiment.workload().needsRecords() ? experiment + "-" + cell.size() : TOPIC,
                cell.topics(),
                cell.size(),
                load.window(),
                experiment.fetch(cell.size()),
                experiment.records(),
                experiment.recordBatch(),
                LogExperiment.clients(cell),
                cell.rate());
    }

    private void warmUp(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        boolean isFirst = warm.isEmpty();
        if (!warm.add(List.of(cell, load))) {
            client.letRun(span.warmupMs());
            shortWarmUps++;
            return;
        }
        long leastSpace = freeSpace() - MOST_GROWTH;
        List<Long> progress = new ArrayList<>(List.of(progress()));
        while (!warmUp.isOver(progress, isFirst, cell.rate() > 0) && freeSpace() > leastSpace) {
            client.letRun(warmUp.stepMs());
            progress.add(progress());
        }
        warmUps.accept(warmUp.stepMs() * (progress.size() - 1));
    }

    private long progress() throws IOException, InterruptedException {
        client.order("progress");
        String answer = client.await("progress ", PATIENCE_MS);
        return Long.parseLong(answer.substring(answer.lastIndexOf(' ') + 1));
    }

    private long freeSpace() throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
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

    /** Ends the processes and deletes the logs. */
    @Override
    public void close() throws IOException {
        if (client != null) {
            client.close();
            client = null;
        }
        if (broker != null) {
            broker.close();
            broker = null;
        }
        if (brokerFolder != null) {
            Comparison.delete(brokerFolder);
            brokerFolder = null;
        }
        terms = null;
        warm.clear();
    }
}

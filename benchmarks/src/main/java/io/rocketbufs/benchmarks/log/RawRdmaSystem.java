package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.CCompiler;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Latency;
import io.rocketbufs.benchmarks.compare.Load;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The practical limit over RDMA: a log in C over the libfabric provider that rocketlog uses. */
final class RawRdmaSystem implements LogSystem {
    /** The transport of rocketlog that this log is compared with. */
    static final String TRANSPORT = "rdma";
    /** The libfabric provider of this log and of rocketlog. */
    static final String PROVIDER = "tcp";

    private static final long START_MS = 5_000;
    private static final int BATCH = 256 << 10;
    private static final String PORT = "port ";

    private final Path program;

    RawRdmaSystem(Path program) {
        this.program = program;
    }

    /** Compiles the log into a folder. */
    static RawRdmaSystem log(Path folder) throws IOException, InterruptedException {
        return new RawRdmaSystem(CCompiler.compile("raw_log_ofi", folder, List.of("-pthread", "-lfabric")));
    }

    @Override
    public String name() {
        return "raw-rdma";
    }

    @Override
    public String version() {
        return "raw_log_ofi.c, one thread";
    }

    @Override
    public String settings() {
        return "libfabric's provider " + PROVIDER + ", one write for each batch; batches of 256 KiB unless unbatched";
    }

    /** A topic has one producer, as in rocketlog's mode exclusive. */
    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.topics() == 1
                && cell.publishers() <= 1
                && cell.experiment() != LogExperiment.CONSUME_FANOUT; // its clients have one thread
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), LogExperiment.isBatched(cell) ? BATCH : 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException {
        Child process = new Child(
                "raw_log_ofi",
                folder,
                Map.of(),
                List.of(program.toString(), "server", PROVIDER, folder.toString(), terms.flushes() ? "1" : "0"));
        return new RunningBroker(process, process.awaitReady(PORT, START_MS).substring(PORT.length()));
    }

    @Override
    public List<String> client(RunningBroker broker) {
        return List.of(program.toString(), "client", PROVIDER, broker.address(), Latency.PERCENTS_TEXT);
    }
}

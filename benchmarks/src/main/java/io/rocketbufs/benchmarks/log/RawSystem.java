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

/** The practical limits: a log in C over plain sockets, or plain writes to files without a server. */
final class RawSystem implements LogSystem {
    private static final long START_MS = 5_000;
    private static final int BATCH = 256 << 10;
    private static final String PORT = "port ";

    private final Path program;
    private final boolean hasServer;

    RawSystem(Path program, boolean hasServer) {
        this.program = program;
        this.hasServer = hasServer;
    }

    /** Compiles the log in C into a folder. */
    static RawSystem log(Path folder) throws IOException, InterruptedException {
        return new RawSystem(CCompiler.compile("raw_log", folder, List.of("-pthread")), true);
    }

    /** Compiles the program into a folder. The returned system uses it to measure the disk. */
    static RawSystem disk(Path folder) throws IOException, InterruptedException {
        return new RawSystem(log(folder).program, false);
    }

    @Override
    public String name() {
        return hasServer ? "raw" : "disk";
    }

    @Override
    public String version() {
        return hasServer ? "raw_log.c, one thread" : "raw_log.c, without a server";
    }

    @Override
    public String settings() {
        return hasServer
                ? "TCP, up to 64 unbatched records in a write; batches of 256 KiB unless unbatched"
                : "writes of 256 KiB; one fdatasync for the records of all producers";
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.topics() == 1
                && cell.experiment() != LogExperiment.CONSUME_FANOUT // its clients have one thread
                && (hasServer
                        || cell.experiment() == LogExperiment.PRODUCE_BATCHED
                        || cell.experiment() == LogExperiment.PRODUCE_FLUSHED);
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), LogExperiment.isBatched(cell) ? BATCH : 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException {
        if (!hasServer) {
            return new RunningBroker(null, folder.toString());
        }
        Child process = new Child(
                "raw_log",
                folder,
                Map.of(),
                List.of(program + "", "server", folder.toString(), terms.flushes() ? "1" : "0"));
        return new RunningBroker(process, process.awaitReady(PORT, START_MS).substring(PORT.length()));
    }

    @Override
    public List<String> client(RunningBroker broker) {
        return List.of(program.toString(), hasServer ? "client" : "disk", broker.address(), Latency.PERCENTS_TEXT);
    }
}

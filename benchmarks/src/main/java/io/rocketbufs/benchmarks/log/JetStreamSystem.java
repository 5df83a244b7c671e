package io.rocketbufs.benchmarks.log;

import io.nats.client.Nats;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Server;
import io.rocketbufs.benchmarks.log.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** NATS JetStream with its file store. */
final class JetStreamSystem implements LogSystem {
    private static final long START_MS = 60_000;
    private static final String FILE = "server.conf";

    @Override
    public String name() {
        return "jetstream";
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return ProgramVersion.of("nats-server") + ", jnats " + Nats.CLIENT_VERSION;
    }

    @Override
    public String settings() {
        return "file store; up to 4,096 records and 32 MiB without an acknowledgement, one for each record;"
                + " consumers pull without prefetching, and do not acknowledge";
    }

    /** nats-server before 2.10 cannot flush for each record, and polls have no goal against JetStream. */
    @Override
    public boolean takesPartIn(LogExperiment experiment) {
        return experiment != LogExperiment.PRODUCE_FLUSHED && experiment != LogExperiment.POLLS;
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), 0));
    }

    @Override
    public RunningBroker start(Path folder, boolean flushes) throws IOException, InterruptedException {
        int port = Server.freePort();
        Files.writeString(
                folder.resolve(FILE),
                String.join(
                        "\n",
                        "listen: 127.0.0.1:" + port,
                        "jetstream: { store_dir: \"" + folder.resolve("store") + "\", max_file_store: 1TB }",
                        "max_pending: 268435456",
                        ""));
        Child process = new Child("nats-server", folder, Map.of(), List.of("nats-server", "-c", FILE));
        process.awaitReady("Server is ready", START_MS);
        return new RunningBroker(process, "127.0.0.1:" + port);
    }

    @Override
    public List<String> client(RunningBroker broker, LoadOptions options) {
        return JavaProgram.load("jetstream", broker, "", options);
    }
}

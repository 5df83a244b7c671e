package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Redis Streams with an append-only file. */
final class RedisSystem implements LogSystem {
    private static final long START_MS = 60_000;
    private static final String FILE = "server.conf";

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return ProgramVersion.of("redis-server");
    }

    @Override
    public String settings() {
        return "streams, appendonly yes, appendfsync no, or always where records are flushed; the file"
                + " is rewritten only between measurements; 64 records in a write unless unbatched, up to 4,096 records"
                + " and 32 MiB without an acknowledgement";
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.topics() == 1;
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), LogExperiment.isBatched(cell) ? 1 : 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException {
        int port = Server.freePort();
        Files.writeString(
                folder.resolve(FILE),
                String.join(
                        "\n",
                        "bind 127.0.0.1",
                        "port " + port,
                        "dir " + folder,
                        "save \"\"",
                        "appendonly yes",
                        "appendfsync " + (terms.flushes() ? "always" : "no"),
                        "auto-aof-rewrite-percentage 0",
                        "daemonize no",
                        ""));
        Child process = new Child("redis-server", folder, Map.of(), List.of("redis-server", FILE));
        process.awaitReady("Ready to accept connections", START_MS);
        return new RunningBroker(process, "127.0.0.1:" + port);
    }

    @Override
    public List<String> client(RunningBroker broker) {
        return JavaProgram.load("redis", broker, "");
    }
}

package io.rocketbufs.benchmarks.log;

import io.nats.client.Nats;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** NATS JetStream with its file store. */
final class JetStreamSystem implements LogSystem {
    private static final long START_MS = 60_000;
    private static final String FILE = "server.conf";
    private static final Pattern VERSION = Pattern.compile(".*v(\\d+)\\.(\\d+)\\..*");
    /** Major version of 2.10, the first version that can flush each record. */
    private static final int FLUSHING_MAJOR = 2;

    private static final int FLUSHING_MINOR = 10;

    private final String version;

    /** @param version output of {@code nats-server --version} */
    JetStreamSystem(String version) {
        this.version = version;
    }

    /** Returns the installed server. */
    static JetStreamSystem installed() throws IOException, InterruptedException {
        return new JetStreamSystem(ProgramVersion.of("nats-server"));
    }

    /** Returns whether the server can force each record to the disk before it acknowledges the record. */
    private boolean canFlush() {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            return false;
        }
        int major = Integer.parseInt(matcher.group(1));
        return major > FLUSHING_MAJOR
                || major == FLUSHING_MAJOR && Integer.parseInt(matcher.group(2)) >= FLUSHING_MINOR;
    }

    @Override
    public String name() {
        return "jetstream";
    }

    @Override
    public String version() {
        return version + ", jnats " + Nats.CLIENT_VERSION;
    }

    @Override
    public String settings() {
        return "file store; up to 4,096 records and 32 MiB without an acknowledgement, one for each record;"
                + " consumers pull without prefetching, and do not acknowledge"
                + (canFlush() ? "; sync_interval always where records are flushed" : "; cannot flush each record");
    }

    /**
     * Returns whether JetStream is measured in the cell. It has no partitions, and older versions cannot flush each
     * record. No goal compares polls or fan-out with it.
     */
    @Override
    public boolean takesPartIn(Cell cell) {
        boolean flushes = ((LogExperiment) cell.experiment()).flushes();
        return cell.topics() == 1
                && cell.experiment() != LogExperiment.POLLS
                && cell.experiment() != LogExperiment.CONSUME_FANOUT
                && (!flushes || canFlush());
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException {
        int port = Server.freePort();
        String sync = terms.flushes() ? ", sync_interval: always" : "";
        Files.writeString(
                folder.resolve(FILE),
                String.join(
                        "\n",
                        "listen: 127.0.0.1:" + port,
                        "jetstream: { store_dir: \"" + folder.resolve("store") + "\", max_file_store: 1TB" + sync
                                + " }",
                        "max_pending: 268435456",
                        ""));
        Child process = new Child("nats-server", folder, Map.of(), List.of("nats-server", "-c", FILE));
        process.awaitReady("Server is ready", START_MS);
        return new RunningBroker(process, "127.0.0.1:" + port);
    }

    @Override
    public List<String> client(RunningBroker broker) {
        return JavaProgram.load("jetstream", broker, "");
    }
}

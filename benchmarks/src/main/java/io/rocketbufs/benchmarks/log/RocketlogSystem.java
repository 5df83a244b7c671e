package io.rocketbufs.benchmarks.log;

import com.typesafe.config.ConfigUtil;
import io.rocketbufs.benchmarks.Revision;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.log.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** rocketlog over one transport. */
final class RocketlogSystem implements LogSystem {
    private static final long START_MS = 60_000;
    private static final int DEFAULT_BATCH = 256 << 10;
    private static final Pattern PORT = Pattern.compile(".*ready rocketlog=(\\d+).*");

    private final String transport;
    private final Path command;

    /**
     * Creates the system.
     *
     * @param transport the transport of broker and clients
     * @param command bin/rocketlog
     */
    RocketlogSystem(String transport, Path command) {
        this.transport = transport;
        this.command = command;
    }

    /** Returns the name of rocketlog over a transport. */
    static String name(String transport) {
        return "rocketlog-" + transport;
    }

    @Override
    public String name() {
        return name(transport);
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return Revision.of(command.getParent());
    }

    @Override
    public String settings() {
        return "private buffers, acks=leader, producer.batch=256 KiB unless unbatched"
                + (transport.equals("rdma") ? ", libfabric's provider tcp" : "");
    }

    @Override
    public boolean takesPartIn(LogExperiment experiment) {
        return true;
    }

    @Override
    public List<Load> loads(Cell cell) {
        boolean isBatched = cell.experiment() == LogExperiment.PRODUCE_BATCHED;
        return List.of(new Load(LogExperiment.clients(cell), isBatched ? DEFAULT_BATCH : 0));
    }

    @Override
    public RunningBroker start(Path folder, boolean flushes) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of(command.toString(), "broker", "--end-with-stdin", "--log-level", "warn"));
        Map<String, String> settings = Map.of(
                "rocketlog.dir",
                ConfigUtil.quoteString(folder.toString()),
                "rocketlog.port",
                "0",
                "rocketlog.admin.port",
                "0",
                "rocketlog.flush",
                flushes ? "always" : "none",
                "rocketlog.segment-length",
                LogContender.SEGMENT_LENGTH + "",
                "rocketlog.retention.length",
                LoadOptions.RETENTION_LENGTH + "",
                "rocketbufs.transport",
                transport,
                "rocketbufs.rdma.provider",
                "tcp");
        settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        Child process = new Child(name() + " broker", command.getParent(), Map.of(), arguments);
        String port =
                PORT.matcher(process.awaitReady("ready rocketlog=", START_MS)).replaceFirst("$1");
        return new RunningBroker(process, "127.0.0.1:" + port);
    }

    @Override
    public List<String> client(RunningBroker broker, LoadOptions options) {
        String settings = "rocketbufs { transport = " + transport + ", rdma.provider = tcp }";
        return JavaProgram.load("rocketlog", broker, settings, options);
    }
}

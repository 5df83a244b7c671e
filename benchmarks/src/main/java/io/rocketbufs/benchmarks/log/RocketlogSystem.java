package io.rocketbufs.benchmarks.log;

import com.typesafe.config.ConfigUtil;
import io.rocketbufs.benchmarks.Revision;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** rocketlog over one transport, with producers that use one mode. */
final class RocketlogSystem implements LogSystem {
    private static final long START_MS = 60_000;
    private static final int DEFAULT_BATCH = 256 << 10;
    /** Space in bytes that is reserved beyond the end of each partition if there are many partitions. */
    private static final int SHORT_STEP = 1 << 20;
    /** Memory limit that is sufficient for the topics of all experiments. */
    private static final String MEMORY_LIMIT = "16 GiB";
    /** The prefix of the name of every rocketlog contender. */
    static final String PREFIX = "rocketlog-";

    private static final Pattern PORT = Pattern.compile(".*ready rocketlog=(\\d+).*");

    private final String transport;
    private final RocketlogMode mode;
    private final Path command;

    /**
     * Creates the system.
     *
     * @param transport the transport of the broker and the clients
     * @param mode mode of the producers
     * @param command bin/rocketlog
     */
    RocketlogSystem(String transport, RocketlogMode mode, Path command) {
        this.transport = transport;
        this.mode = mode;
        this.command = command;
    }

    /** Returns the name of rocketlog over a transport. The name does not include the default mode, private. */
    static String name(String transport, RocketlogMode mode) {
        return PREFIX + transport + (mode == RocketlogMode.PRIVATE ? "" : "-" + mode);
    }

    @Override
    public String name() {
        return name(transport, mode);
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return Revision.of(command.getParent());
    }

    @Override
    public String settings() {
        return "mode " + mode.setting()
                + ", acks=leader, producer.batch=256 KiB and producer.linger=5 ms (Kafka's default) unless unbatched"
                + (mode == RocketlogMode.MEMORY ? ", topics in memory" : "")
                + (transport.equals(RawRdmaSystem.TRANSPORT) ? ", libfabric's provider " + RawRdmaSystem.PROVIDER : "");
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        LogExperiment experiment = (LogExperiment) cell.experiment();
        if (mode == RocketlogMode.MEMORY) {
            return !experiment.flushes() && mode.allows(cell.publishers(), cell.topics());
        }
        return mode == RocketlogMode.PRIVATE || experiment.produces() && mode.allows(cell.publishers(), cell.topics());
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), LogExperiment.isBatched(cell) ? DEFAULT_BATCH : 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of(command.toString(), "broker", "--end-with-stdin", "--log-level", "warn"));
        settings(folder, terms).forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        Child process = new Child(name() + " broker", command.getParent(), Map.of(), arguments);
        String port =
                PORT.matcher(process.awaitReady("ready rocketlog=", START_MS)).replaceFirst("$1");
        return new RunningBroker(process, "127.0.0.1:" + port);
    }

    /**
     * Returns the text that a producer logs when the broker has refused its mode and it uses the mode private instead.
     */
    @Override
    public String failure() {
        return mode.isPrivate() ? null : "the producer uses the mode private:";
    }

    private Map<String, String> settings(Path folder, BrokerTerms terms) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("rocketlog.dir", ConfigUtil.quoteString(folder.toString()));
        settings.put("rocketlog.port", "0");
        settings.put("rocketlog.admin.port", "0");
        settings.put("rocketlog.flush", terms.flushes() ? "always" : "none");
        settings.put("rocketlog.segment-length", terms.segmentLength() + "");
        settings.put("rocketlog.retention.length", terms.retentionLength() + "");
        if (terms.partitions() > 1) {
            settings.put("rocketlog.allocation-step", SHORT_STEP + "");
        }
        settings.put("rocketlog.produce.direct.topics", "[\"*\"]");
        settings.put("rocketlog.memory.limit", MEMORY_LIMIT);
        settings.put("rocketbufs.transport", transport);
        settings.put("rocketbufs.rdma.provider", RawRdmaSystem.PROVIDER);
        return settings;
    }

    @Override
    public List<String> client(RunningBroker broker) {
        String settings = "rocketbufs { transport = " + transport + ", rdma.provider = " + RawRdmaSystem.PROVIDER
                + " }\nrocketlog.producer.mode = " + mode.setting();
        return JavaProgram.load(mode == RocketlogMode.MEMORY ? "rocketlog-memory" : "rocketlog", broker, settings);
    }
}

package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A broker other than RBMQ. Its publishers and subscribers are processes that run peer_load.c. */
final class LoadedServer implements Contender {
    private static final long PATIENCE_MS = 60_000;
    /** Estimated time in ms to start and end the clients of a measurement. */
    private static final long START_MS = 200;
    /**
     * Maximum number of bytes in transit to the slowest subscriber. The clients enforce this limit themselves, because
     * some brokers do not slow down publishers.
     */
    private static final int OUTSTANDING = 4 << 20;

    private final String peer;
    private final Server server;
    private final CPrograms programs;
    private final List<Load> loads;

    /**
     * Creates a contender. The first measurement starts its broker.
     *
     * @param peer name of the contender, which is also its name in peer_load
     */
    LoadedServer(String peer, Server server, CPrograms programs, List<Load> loads) {
        this.peer = peer;
        this.server = server;
        this.programs = programs;
        this.loads = loads;
    }

    @Override
    public String name() {
        return peer;
    }

    @Override
    public String version() throws IOException, InterruptedException {
        return server.version();
    }

    @Override
    public String settings() {
        return server.settings();
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return !(cell.experiment() instanceof BrokerExperiment each && each.isGrowth());
    }

    @Override
    public long estimateMs(Cell cell, Span span, int count) {
        return count * (span.warmupMs() + span.durationMs() + START_MS);
    }

    @Override
    public List<Load> loads(Cell cell) {
        return cell.rate() > 0 ? List.of(new Load(1, 1)) : loads;
    }

    @Override
    public Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException {
        server.start(cell.size());
        Path progress = Files.createTempFile(programs.folder(), "progress", "");
        List<Child> subscribers = new ArrayList<>();
        List<Child> publishers = new ArrayList<>();
        try {
            for (int i = 0; i < cell.subscribers(); i++) {
                subscribers.add(client("sub", i, cell, load, progress));
            }
            for (int i = 0; i < load.publishers(); i++) {
                publishers.add(client("pub", i, cell, load, progress));
            }
            publishers.get(0).letRun(span.warmupMs());
            double brokerSeconds = -server.cpuSeconds();
            tell("begin", publishers, subscribers);
            publishers.get(0).letRun(span.durationMs());
            tell("end", publishers, subscribers);
            brokerSeconds += server.cpuSeconds();
            return found(cell, span, brokerSeconds, reports(publishers), reports(subscribers));
        } finally {
            publishers.forEach(Child::close);
            subscribers.forEach(Child::close);
            Files.delete(progress);
        }
    }

    private Child client(String role, int number, Cell cell, Load load, Path progress)
            throws IOException, InterruptedException {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("peer", peer);
        options.put("role", role);
        options.put("port", server.port());
        options.put("number", number);
        options.put("size", cell.size());
        options.put("window", load.window());
        options.put("rate", cell.rate());
        options.put("subs", cell.subscribers());
        options.put("progress", progress);
        options.put("outstanding", OUTSTANDING);
        options.put("percentiles", Latency.PERCENTS_TEXT);
        List<String> command = new ArrayList<>(List.of(programs.load().toString()));
        options.forEach((name, value) -> command.addAll(List.of("--" + name, value.toString())));
        if (cell.experiment() == BrokerExperiment.LATENCY) {
            command.add("--stamp-all");
        }
        Child child = new Child(peer + " " + role + " " + number, programs.folder(), Map.of(), command);
        child.await("ready", PATIENCE_MS);
        return child;
    }

    private static void tell(String line, List<Child> publishers, List<Child> subscribers) {
        publishers.forEach(child -> child.order(line));
        subscribers.forEach(child -> child.order(line));
    }

    private static List<Config> reports(List<Child> children) throws IOException, InterruptedException {
        List<Config> reports = new ArrayList<>();
        for (Child child : children) {
            reports.add(ConfigFactory.parseString(child.await("{", PATIENCE_MS)));
        }
        return reports;
    }

    private static Measurement found(
            Cell cell, Span span, double brokerSeconds, List<Config> publishers, List<Config> subscribers) {
        double rate = cell.subscribers() == 0
                ? sum(publishers, "perSecond")
                : sum(subscribers, "perSecond") / cell.subscribers();
        return new Measurement(
                rate,
                brokerSeconds / span.seconds(),
                sum(publishers, "cpuSeconds") / span.seconds(),
                sum(subscribers, "cpuSeconds") / span.seconds(),
                subscribers.stream().map(Latency::of).reduce(Latency.NONE, Latency::worse),
                (long) (sum(subscribers, "lost") + sum(subscribers, "duplicated") + sum(subscribers, "damaged")));
    }

    private static double sum(List<Config> reports, String name) {
        return reports.stream().mapToDouble(report -> report.getDouble(name)).sum();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Somebody else's broker, loaded by peer_load.c. */
final class LoadedServer implements Contender {
    private static final long PATIENCE_MS = 20_000;
    /** What may be under way to the slowest subscriber, where the broker itself does not hold publishers back. */
    private static final int OUTSTANDING = 4 << 20;

    private final String peer;
    private final Server server;
    private final CPrograms programs;
    private final List<Load> loads;

    /**
     * Prepares it; it starts with the first measurement.
     *
     * @param peer its name, also among peer_load's
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
    public List<Load> loads() {
        return loads;
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
        List<String> command = List.of(
                programs.load().toString(),
                "--peer",
                peer,
                "--role",
                role,
                "--port",
                Integer.toString(server.port()),
                "--number",
                Integer.toString(number),
                "--size",
                Integer.toString(cell.size()),
                "--window",
                Integer.toString(load.window()),
                "--subs",
                Integer.toString(cell.subscribers()),
                "--progress",
                progress.toString(),
                "--outstanding",
                Integer.toString(OUTSTANDING));
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
        boolean timed = subscribers.stream().anyMatch(report -> report.getLong("timed") > 0);
        return new Measurement(
                rate,
                brokerSeconds / span.seconds(),
                sum(publishers, "cpuSeconds") / span.seconds(),
                sum(subscribers, "cpuSeconds") / span.seconds(),
                timed ? max(subscribers, "p50Us") : Double.NaN,
                timed ? max(subscribers, "p99Us") : Double.NaN,
                (long) (sum(subscribers, "lost") + sum(subscribers, "duplicated") + sum(subscribers, "damaged")));
    }

    private static double sum(List<Config> reports, String name) {
        return reports.stream().mapToDouble(report -> report.getDouble(name)).sum();
    }

    private static double max(List<Config> reports, String name) {
        return reports.stream()
                .mapToDouble(report -> report.getDouble(name))
                .max()
                .orElse(Double.NaN);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

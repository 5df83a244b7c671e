package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import io.rocketbufs.cli.ChildProgram;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.json.Json;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The broker for a load, which runs in a separate process and keeps its logs in a temporary directory.
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> owns the process and the directory; closing ends the process
 * and deletes the directory.
 */
final class LoadBroker implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    /** Types of messages that {@link Calls#others} does not include. */
    private static final Set<String> NOT_OTHERS = Set.of("open", "close", "acquire", "wait");

    private final Path directory;
    private final InetAddress host;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private ChildProgram process;
    private Ports ports;

    /**
     * The number of times that the broker's code has run for clients.
     *
     * @param produce number of runs for batches of producers
     * @param open number of runs for opening and closing segments that consumers read, including refused requests
     * @param others number of runs for all other messages of clients. If reading or polling required messages, they
     *     would be counted here; messages with which producers request leases, or with which idle consumers start to
     *     wait, are not counted
     */
    record Calls(long produce, long open, long others) {
        Calls minus(Calls earlier) {
            return new Calls(produce - earlier.produce, open - earlier.open, others - earlier.others);
        }
    }

    private LoadBroker(Path directory, InetAddress host) {
        this.directory = directory;
        this.host = host;
    }

    /**
     * Starts a broker, and waits until it is ready.
     *
     * @param host address on which the broker listens
     */
    static LoadBroker start(Programs programs, ConfigOptions config, String transport, InetAddress host)
            throws InterruptedException, IOException {
        LoadBroker broker = new LoadBroker(Files.createTempDirectory("rocketlog-load-"), host);
        try {
            broker.process = ChildProgram.start(programs, "broker", broker.arguments(config, transport), broker::ended);
            broker.ports = Ports.parse(broker.process.await(Ports.READY, START_LIMIT));
            return broker;
        } catch (RuntimeException | Error | InterruptedException e) {
            broker.close();
            throw e;
        }
    }

    private void ended() {
        failure.completeExceptionally(new CommandFailure(ExitCode.UNAVAILABLE, "the broker process has exited"));
    }

    private List<String> arguments(ConfigOptions config, String transport) {
        List<String> arguments = new ArrayList<>(List.of("broker", "--end-with-stdin", "--log-level", "warn"));
        // These limits keep a long measurement from filling the disk.
        set(arguments, "rocketlog.segment-length", "64 MiB");
        set(arguments, "rocketlog.retention.length", "256 MiB");
        set(arguments, "rocketlog.memory.limit", "1 GiB");
        arguments.addAll(config.toArguments());
        // Safe, because only the producers of the load know the port.
        set(arguments, "rocketlog.produce.direct.topics", "[\"*\"]");
        set(arguments, "rocketlog.dir", ConfigUtil.quoteString(directory.toString()));
        set(arguments, "rocketbufs.transport", transport);
        set(arguments, "rocketlog.listeners", "[]");
        set(arguments, "rocketlog.address", ConfigUtil.quoteString(host.getHostAddress()));
        set(arguments, "rocketlog.port", "0");
        set(arguments, "rocketlog.insecure", Boolean.toString(!host.isLoopbackAddress()));
        set(arguments, "rocketlog.admin.enabled", "true");
        set(arguments, "rocketlog.admin.address", "127.0.0.1");
        set(arguments, "rocketlog.admin.port", "0");
        return arguments;
    }

    private static void set(List<String> arguments, String key, String value) {
        arguments.addAll(List.of("--set", key + "=" + value));
    }

    /** Returns a future that fails when the broker exits. Clients may also complete it to report their failures. */
    CompletableFuture<Void> failure() {
        return failure;
    }

    /** Returns the address to which clients connect. */
    InetSocketAddress address() {
        return new InetSocketAddress(host, ports.byName().get(LogBrokerCommand.MAIN_PORT));
    }

    /** Returns the processor time that the broker has used, in seconds, or NaN if it is unknown. */
    double cpuSeconds() {
        return process.cpuSeconds();
    }

    /** Returns the current values of the broker's counters. */
    Calls calls() {
        HostPort admin = new HostPort("127.0.0.1", ports.byName().get(Ports.ADMIN));
        Config status = Json.parse(LogAdminOptions.status(LogAdminOptions.of(admin)));
        Config requests = status.getConfig("requestsByType");
        long open = requests.getLong("open") + status.getLong("closedSegments");
        long others = requests.root().keySet().stream()
                .filter(type -> !NOT_OTHERS.contains(type))
                .mapToLong(requests::getLong)
                .sum();
        return new Calls(status.getLong("appendedBatches"), open, others);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw CommandFailure.failed("cannot delete " + directory + ": " + Reason.of(e));
        }
    }
}

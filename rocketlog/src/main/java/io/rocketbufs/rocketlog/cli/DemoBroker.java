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
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The demo's broker: a separate process, with its logs in a temporary directory.
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> ends the process, and deletes the directory.
 */
final class DemoBroker implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final int TIMEOUT_MS = 5000;

    private final Path directory;
    private final InetAddress host;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private ChildProgram process;
    private Ports ports;

    /**
     * Numbers of times that the broker's code has run for the clients.
     *
     * @param produce number of times for batches of producers
     * @param open number of times for opening and closing the segments that consumers read
     * @param others number of times for all other messages of clients, which reading or polling would need; excludes
     *     those that producers send for leases, and that idle consumers send to wait
     */
    record Calls(long produce, long open, long others) {
        Calls minus(Calls earlier) {
            return new Calls(produce - earlier.produce, open - earlier.open, others - earlier.others);
        }
    }

    private DemoBroker(Path directory, InetAddress host) {
        this.directory = directory;
        this.host = host;
    }

    /**
     * Starts a broker, and waits until it is ready.
     *
     * @param host address to listen on
     */
    static DemoBroker start(Programs programs, ConfigOptions config, String transport, InetAddress host)
            throws InterruptedException, IOException {
        DemoBroker broker = new DemoBroker(Files.createTempDirectory("rocketlog-demo-"), host);
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
        // Keeps the log of a long demo from filling the disk.
        set(arguments, "rocketlog.segment-length", "64 MiB");
        set(arguments, "rocketlog.retention.length", "256 MiB");
        set(arguments, "rocketlog.memory.limit", "1 GiB");
        arguments.addAll(config.toArguments());
        set(arguments, "rocketlog.produce.direct.topics", "[\"*\"]"); // only the demo's producers know the port
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

    /** Returns a future that fails when the broker has exited. Clients may also complete it. */
    CompletableFuture<Void> failure() {
        return failure;
    }

    /** Returns the address for clients. */
    InetSocketAddress address() {
        return new InetSocketAddress(host, ports.byName().get(LogBrokerCommand.MAIN_PORT));
    }

    /** Returns the processor time that the broker has used, in seconds, or NaN if unknown. */
    double cpuSeconds() {
        return process.cpuSeconds();
    }

    /** Returns the broker's counters. */
    Calls calls() {
        URI uri = URI.create("http://127.0.0.1:" + ports.byName().get(Ports.ADMIN) + "/api/status");
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(TIMEOUT_MS);
            connection.setReadTimeout(TIMEOUT_MS);
            try (InputStream in = connection.getInputStream()) {
                Config status = Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                long open = status.getLong("openedSegments") + status.getLong("closedSegments");
                long others = status.getLong("requests")
                        - open
                        - status.getLong("leaseRequests")
                        - status.getLong("waitRequests");
                return new Calls(status.getLong("appendedBatches"), open, others);
            }
        } catch (IOException e) {
            throw CommandFailure.failed("broker: no response from " + uri + ": " + Reason.of(e));
        }
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

package io.rocketbufs.livestream.cli;

import io.rocketbufs.cli.ChildProgram;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.Programs;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A relay or an edge that a command runs as a separate process.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> closing this object ends the process.
 */
final class ServerProcess implements AutoCloseable {
    static final String RELAY = "relay";
    static final String EDGE = "edge";
    static final String INGEST = "ingest";

    /** Time limit for the process to become ready, many times longer than a cold start on a busy machine. */
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final ChildProgram child;
    private final Ports ports;

    private ServerProcess(ChildProgram child, Ports ports) {
        this.child = child;
        this.ports = ports;
    }

    /** Starts a relay on free ports and waits until it is ready. */
    static ServerProcess startRelay(Programs programs, ConfigOptions config) throws InterruptedException {
        return start(programs, RELAY, config, "livestream.relay.port=0", "livestream.ingest.port=0");
    }

    /**
     * Starts an edge of the given relay on a free port, and waits until the edge is ready.
     *
     * @param relayHost host on which the relay is configured to listen
     */
    static ServerProcess startEdge(Programs programs, ConfigOptions config, String relayHost, ServerProcess relay)
            throws InterruptedException {
        // A wildcard address is reachable through loopback.
        String host = relayHost.equals("0.0.0.0") || relayHost.equals("::") ? "127.0.0.1" : relayHost;
        int port = relay.ports.byName().get(RELAY);
        return start(
                programs,
                EDGE,
                config,
                "livestream.edge.port=0",
                "livestream.relay.address=\"" + host + ":" + port + "\"");
    }

    private static ServerProcess start(Programs programs, String command, ConfigOptions config, String... sets)
            throws InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of(command, "--end-with-stdin", "--log-level", LogConfiguration.level()));
        // The user's settings come last and take precedence.
        for (String set : sets) {
            arguments.addAll(List.of("--set", set));
        }
        arguments.addAll(config.toArguments());
        // Clears the token, because this process reads the metrics without one.
        arguments.addAll(List.of("--set", "livestream.metrics.token=\"\""));
        ChildProgram child = ChildProgram.start(programs, command, arguments, () -> {});
        try {
            return new ServerProcess(child, Ports.parse(child.await(Ports.READY, START_LIMIT)));
        } catch (Throwable e) {
            child.close();
            throw e;
        }
    }

    /** Returns the address to which sources push. */
    InetSocketAddress ingest() {
        return at(INGEST);
    }

    /** Returns the address to which viewers connect. */
    InetSocketAddress edge() {
        return at(EDGE);
    }

    private InetSocketAddress at(String name) {
        return new InetSocketAddress("127.0.0.1", ports.byName().get(name));
    }

    /** Returns the processor time that the process has used so far, in seconds. */
    double cpuSeconds() {
        return child.cpuSeconds();
    }

    /** Returns the resident memory of the process in bytes, or 0 if the system does not report it. */
    long residentBytes() {
        return child.residentBytes();
    }

    @Override
    public void close() {
        child.close();
    }
}

package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * A broker installed from the system's packages. It runs without persistence, and its queues are long enough for the
 * benchmark's publishers.
 */
final class InstalledServer implements Server {
    private static final long START_MS = 60_000;

    private final Kind kind;
    private final Path folder;
    private Child process;
    private int port;

    /**
     * The command lines and configuration of one kind of broker.
     *
     * @param versionCommand command that prints the version
     * @param settings the settings that affect the results
     * @param command returns the command that starts the broker on a port
     * @param environment returns the environment variables of the broker's process, given a port
     * @param configuration returns the contents of the file server.conf in the broker's folder, given a port
     * @param ready part of the line that the broker prints when it is ready
     * @param afterwards command that ends daemons left running by the broker, unless other programs use them; may be
     *     empty
     */
    record Kind(
            List<String> versionCommand,
            String settings,
            IntFunction<List<String>> command,
            IntFunction<Map<String, String>> environment,
            IntFunction<String> configuration,
            String ready,
            List<String> afterwards) {}

    static final Kind REDIS = new Kind(
            List.of("redis-server", "--version"),
            "save \"\", appendonly no, client-output-buffer-limit pubsub 0 0 0, one process",
            port -> List.of("redis-server", "server.conf"),
            port -> Map.of(),
            port -> String.join(
                    "\n",
                    "bind 127.0.0.1",
                    "port " + port,
                    "save \"\"",
                    "appendonly no",
                    "daemonize no",
                    "client-output-buffer-limit pubsub 0 0 0",
                    ""),
            "Ready to accept connections",
            List.of());

    static final Kind NATS = new Kind(
            List.of("nats-server", "--version"),
            "max_pending 256 MiB, no JetStream, pings every 10 min",
            port -> List.of("nats-server", "-c", "server.conf"),
            port -> Map.of(),
            port -> String.join(
                    "\n",
                    "listen: 127.0.0.1:" + port,
                    "max_pending: 268435456",
                    "ping_interval: \"10m\"",
                    "write_deadline: \"10s\"",
                    ""),
            "Server is ready",
            List.of());

    static final Kind RABBITMQ = new Kind(
            // The broker's own command for printing its version would start a daemon.
            List.of("dpkg-query", "-W", "rabbitmq-server"),
            "transient fanout exchange and exclusive queues, no acknowledgements, logging off",
            port -> List.of("/usr/lib/rabbitmq/bin/rabbitmq-server"),
            port -> Map.of(
                    "RABBITMQ_NODENAME", "bench-" + port + "@localhost",
                    "RABBITMQ_DIST_PORT", Integer.toString(port + 1),
                    "RABBITMQ_MNESIA_BASE", "mnesia",
                    "RABBITMQ_LOG_BASE", "log",
                    "RABBITMQ_LOGS", "-",
                    "RABBITMQ_ENABLED_PLUGINS_FILE", "plugins",
                    "RABBITMQ_CONFIG_FILE", "server",
                    "HOME", "."),
            port -> "listeners.tcp.1 = 127.0.0.1:" + port
                    + "\nlog.console.level = error\nloopback_users.guest = true\n",
            "completed with",
            List.of("epmd", "-kill"));

    InstalledServer(Kind kind, Path folder) {
        this.kind = kind;
        this.folder = folder;
    }

    @Override
    public String version() throws IOException, InterruptedException {
        Process asked = new ProcessBuilder(kind.versionCommand())
                .redirectErrorStream(true)
                .start();
        String text = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        asked.waitFor();
        return text.strip().replace('\t', ' ');
    }

    @Override
    public String settings() {
        return kind.settings();
    }

    @Override
    public void start(int size) throws IOException, InterruptedException {
        if (process != null && process.isAlive()) {
            return;
        }
        port = Server.freePort();
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("server.conf"), kind.configuration().apply(port));
        List<String> command = kind.command().apply(port);
        process = new Child(command.get(0), folder, kind.environment().apply(port), command);
        process.await(kind.ready(), START_MS);
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public double cpuSeconds() {
        return process.cpuSecondsWithChildren();
    }

    @Override
    public void close() throws IOException {
        if (process == null) {
            return;
        }
        process.close();
        if (!kind.afterwards().isEmpty()) {
            new ProcessBuilder(kind.afterwards()).start().onExit().join();
        }
    }
}

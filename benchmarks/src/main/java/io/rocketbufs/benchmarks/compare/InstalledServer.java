package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** A broker that the system's packages bring, with persistence off, and with queues long enough for our publishers. */
final class InstalledServer implements Server {
    private static final long START_MS = 60_000;

    private final Kind kind;
    private final Path folder;
    private Child process;
    private int port;

    /**
     * How one kind of broker is started.
     *
     * @param versionCommand prints its version
     * @param settings what matters of its settings
     * @param command starts it, given a port
     * @param environment of its process, given a port
     * @param configuration the content of the file server.conf in its folder
     * @param ready part of the line that it prints when it can be used
     */
    record Kind(
            List<String> versionCommand,
            String settings,
            IntFunction<List<String>> command,
            IntFunction<Map<String, String>> environment,
            IntFunction<String> configuration,
            String ready) {}

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
            "Ready to accept connections");

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
            "Server is ready");

    static final Kind RABBITMQ = new Kind(
            List.of("rabbitmqctl", "version"),
            "transient fanout exchange and exclusive queues, no acknowledgements, logging off",
            port -> List.of("/usr/lib/rabbitmq/bin/rabbitmq-server"),
            port -> Map.of(
                    "RABBITMQ_NODENAME", "bench-" + port + "@localhost",
                    "RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1",
                    "RABBITMQ_NODE_PORT", Integer.toString(port),
                    "RABBITMQ_DIST_PORT", Integer.toString(port + 1),
                    "RABBITMQ_MNESIA_BASE", "mnesia",
                    "RABBITMQ_LOG_BASE", "log",
                    "RABBITMQ_LOGS", "-",
                    "RABBITMQ_ENABLED_PLUGINS_FILE", "plugins",
                    "RABBITMQ_CONFIG_FILE", "server",
                    "HOME", "."),
            port -> "log.console.level = error\nloopback_users.guest = true\n",
            "completed with");

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
        return kind.versionCommand().get(0) + " " + text.strip();
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
        process = new Child(
                kind.versionCommand().get(0),
                folder,
                kind.environment().apply(port),
                kind.command().apply(port));
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
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}

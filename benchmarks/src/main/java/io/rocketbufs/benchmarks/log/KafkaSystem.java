package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.JavaCommand;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.AppInfoParser;

/** Apache Kafka: one process that acts as both broker and controller, with the JVM flags of Kafka's own scripts. */
final class KafkaSystem implements LogSystem {
    private static final long START_MS = 120_000;
    private static final int DEFAULT_BATCH = 16 << 10;
    private static final int LONG_BATCH = 1 << 20;
    private static final String FILE = "server.properties";
    private static final String LOGBACK = "logback.xml";
    /** Logs at the level of Kafka's own configuration to standard output, which this class reads. */
    private static final String LOGBACK_CONFIGURATION = """
            <configuration>
              <appender name="output" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%level %msg%n</pattern></encoder>
              </appender>
              <root level="info"><appender-ref ref="output"/></root>
            </configuration>
            """;

    private static final List<String> FLAGS = List.of(
            "-Xms1G",
            "-Xmx1G",
            "-XX:+UseG1GC",
            "-XX:MaxGCPauseMillis=20",
            "-XX:InitiatingHeapOccupancyPercent=35",
            "-XX:+ExplicitGCInvokesConcurrent",
            "-XX:MaxInlineLevel=15",
            "-Djava.awt.headless=true");

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String version() {
        return "Apache Kafka " + AppInfoParser.getVersion();
    }

    @Override
    public String settings() {
        return "KRaft, acks=1, not idempotent, batches of 16 KiB or 1 MiB (the faster one) unless unbatched,"
                + " linger.ms=5 (default), up to 5 requests in flight (default)";
    }

    @Override
    public boolean takesPartIn(Cell cell) {
        return true;
    }

    @Override
    public List<Load> loads(Cell cell) {
        int clients = LogExperiment.clients(cell);
        return LogExperiment.isBatched(cell)
                ? List.of(new Load(clients, DEFAULT_BATCH), new Load(clients, LONG_BATCH))
                : List.of(new Load(clients, 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException {
        int port = Server.freePort();
        Files.writeString(folder.resolve(FILE), configuration(folder, port, Server.freePort(), terms));
        List<String> format = List.of("format", "-t", Uuid.randomUuid().toString(), "-c", FILE);
        try (Child tool = child("kafka storage format", folder, List.of(), "kafka.tools.StorageTool", format)) {
            tool.await("Formatting", START_MS);
            tool.rest(START_MS);
        }
        Files.writeString(folder.resolve(LOGBACK), LOGBACK_CONFIGURATION);
        List<String> flags = new ArrayList<>(FLAGS);
        flags.add("-Dlogback.configurationFile=" + folder.resolve(LOGBACK));
        Child process = child("kafka broker", folder, flags, "kafka.Kafka", List.of(FILE));
        process.awaitReady("Kafka Server started", START_MS);
        return new RunningBroker(process, "127.0.0.1:" + port);
    }

    private static Child child(String name, Path folder, List<String> flags, String main, List<String> arguments)
            throws IOException {
        return new Child(name, folder, Map.of(), JavaCommand.of(flags, main, arguments));
    }

    private static String configuration(Path folder, int port, int controllerPort, BrokerTerms terms) {
        return String.join(
                "\n",
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "controller.listener.names=CONTROLLER",
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
                "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                "log.dirs=" + folder.resolve("logs"),
                "offsets.topic.replication.factor=1",
                "message.max.bytes=" + 2 * LONG_BATCH,
                "log.segment.bytes=" + terms.segmentLength(),
                "log.retention.bytes=" + terms.retentionLength(),
                // The broker is paused between two measurements, and must not lose its session with the controller.
                "broker.session.timeout.ms=3600000",
                "log.initial.task.delay.ms=1000",
                "log.retention.check.interval.ms=1000",
                "log.segment.delete.delay.ms=1000",
                terms.flushes() ? "log.flush.interval.messages=1" : "",
                "");
    }

    @Override
    public List<String> client(RunningBroker broker) {
        return JavaProgram.load("kafka", broker, "");
    }
}

package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.json.Json;
import io.rocketbufs.process.LastingPort;
import io.rocketbufs.process.TestProgram;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.TopicClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A broker in a separate process, which tests can kill. */
final class BrokerProcess implements AutoCloseable {
    /** A setting with a long timeout, because a busy machine responds late. */
    static final String PATIENT = "rocketlog.client.connect-timeout=60s";

    private static final TestProgram ROCKETLOG = TestProgram.of(
            Main.class.getName(), "demo", "--one-process", "--json", "--warmup=100ms", "--duration=200ms");

    /** The ready line. A log line, which starts with a digit, can follow the port without a newline. */
    private static final Pattern READY = Pattern.compile("ready rocketlog=([0-9]+) admin=([0-9]{1,5}).*");

    private final Process process;
    private final int port;
    private final int adminPort;

    private BrokerProcess(Process process, int port, int adminPort) {
        this.process = process;
        this.port = port;
        this.adminPort = adminPort;
    }

    /** Returns the command line that runs a rocketlog command. */
    static List<String> command(String... arguments) {
        List<String> command = ROCKETLOG.command();
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Starts a broker, and waits until it is ready.
     *
     * @param port port to listen on, or 0 for a free port, on which the broker can be restarted
     */
    static BrokerProcess start(List<String> prefix, Path directory, int port, String... settings) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(command(
                "broker",
                "--set",
                "rocketlog.dir=" + directory,
                "--set",
                "rocketlog.port=" + (port == 0 ? LastingPort.find() : port),
                "--set",
                "rocketlog.admin.port=0",
                "--set",
                "rocketlog.allocation-step=0"));
        for (String setting : settings) {
            command.addAll(List.of("--set", setting));
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder all = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            all.append(line).append('\n');
            Matcher ready = READY.matcher(line);
            if (ready.matches()) {
                readRest(output);
                return new BrokerProcess(process, Integer.parseInt(ready.group(1)), Integer.parseInt(ready.group(2)));
            }
        }
        throw new IOException("the broker is not ready: " + all);
    }

    /** Reads the rest of the output, because the broker would block if nothing read it. */
    private static void readRest(BufferedReader output) {
        Thread reader = new Thread(
                () -> {
                    try (output) {
                        output.transferTo(Writer.nullWriter());
                    } catch (IOException e) {
                        // The test has terminated the process.
                    }
                },
                "broker-output");
        reader.setDaemon(true);
        reader.start();
    }

    static BrokerProcess start(Path directory, int port, String... settings) throws IOException {
        return start(List.of(), directory, port, settings);
    }

    int port() {
        return port;
    }

    /** Returns the broker's status page. */
    String status() throws IOException {
        try (InputStream page = URI.create("http://127.0.0.1:" + adminPort + "/api/status")
                .toURL()
                .openStream()) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    long pid() {
        return process.pid();
    }

    /**
     * Returns true if the broker has granted the given mode. In every mode except private, this requires that producers
     * have written batches into logs.
     */
    boolean hasGranted(String mode) {
        return mode.equals("private") || writtenBatches() > 0;
    }

    private long writtenBatches() {
        try {
            return Json.parse(status()).getLong("writtenBatches");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    LogClientSettings settings(Path directory, String... settings) {
        return LogClientSettings.from(RunningLogBroker.config(directory, PATIENT, String.join("\n", settings)))
                .withBroker(address());
    }

    void createTopic(RocketBufs rocketBufs, Path directory, String topic, int partitions) {
        try (TopicClient topics = TopicClient.connect(rocketBufs, settings(directory))) {
            topics.create(topic, partitions);
        }
    }

    /** Sends a signal, such as STOP, to the process. */
    void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .start()
                .waitFor();
        assertThat(code).isZero();
    }

    /** Kills the process with SIGKILL. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Stops the process with SIGTERM, and waits until it has exited. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}

package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Running;
import io.rocketbufs.process.TestProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A {@code livestream} command as a separate process. */
final class LivestreamProcess implements AutoCloseable {
    private static final long LIMIT_S = 150;
    /** The trial run starts a relay, which ends when its standard input ends. */
    private static final TestProgram LIVESTREAM = TestProgram.of(
            "io.rocketbufs.livestream.cli.LivestreamMain",
            "relay",
            "--end-with-stdin",
            "--set=livestream.ingest.port=0",
            "--set=livestream.relay.port=0",
            "--set=livestream.tls.directory=" + certificates());

    private final Process process;
    private final BufferedReader out;
    private final Path err;

    private LivestreamProcess(Process process, Path err) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.err = err;
    }

    private static Path certificates() {
        return Running.certificate().toAbsolutePath().getParent();
    }

    static LivestreamProcess start(String... arguments) {
        return start(List.of(), Map.of(), arguments);
    }

    /** Starts a process with a command prefix and additional environment variables. */
    static LivestreamProcess start(List<String> before, Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.addAll(LIVESTREAM.command("-Dlivestream.tls.directory=" + certificates()));
        command.addAll(List.of(arguments));
        try {
            Path err = Files.createTempFile(Files.createDirectories(Path.of("target", "processes")), "err", ".txt");
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
            builder.environment().putAll(environment);
            return new LivestreamProcess(builder.start(), err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the ready line and returns the address of the port with the given name. */
    InetSocketAddress awaitReady(String name) {
        try {
            String line = out.readLine();
            assertThat(line).as(err()).startsWith("ready ").contains(name + "=");
            return new InetSocketAddress("127.0.0.1", port(line, name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int port(String line, String name) {
        return Integer.parseInt(line.replaceAll(".*\\b" + name + "=([0-9]+).*", "$1"));
    }

    String readLine() throws IOException {
        return out.readLine();
    }

    String err() {
        try {
            return Files.readString(err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal: TERM, KILL, STOP or CONT. */
    void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).as(err()).isTrue();
        return process.exitValue();
    }

    /** Returns the last line of the remaining output. */
    String lastLine() throws IOException {
        String last = "";
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            last = line;
        }
        return last;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}

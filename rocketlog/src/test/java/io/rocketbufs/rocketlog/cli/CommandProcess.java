package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A rocketlog command in a separate process, whose output is written to files. Closing this object kills the process.
 */
final class CommandProcess implements AutoCloseable {
    private static final long LIMIT_S = 500;

    private final Process process;
    private final Path out;
    private final Path err;

    private CommandProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts a command. */
    static CommandProcess start(Path folder, String... arguments) {
        return start(folder, List.of(), Map.of(), arguments);
    }

    /**
     * Starts a command.
     *
     * @param prefix the program and arguments that run the command
     * @param variables additional environment variables
     */
    static CommandProcess start(Path folder, List<String> prefix, Map<String, String> variables, String... arguments) {
        // A process inherits its parent's ignored signals.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,PIPE"));
        command.addAll(prefix);
        command.addAll(BrokerProcess.command(arguments));
        try {
            Path out = Files.createTempFile(folder, "out", "");
            Path err = Files.createTempFile(folder, "err", "");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(variables);
            return new CommandProcess(builder.start(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command that must succeed, and returns its output. */
    static byte[] run(Path folder, String... arguments) throws Exception {
        try (CommandProcess command = start(folder, arguments)) {
            assertThat(command.exitCode()).as(command::err).isZero();
            return command.out();
        }
    }

    Process process() {
        return process;
    }

    /** Waits until the process exits. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).as(this::err).isTrue();
        return process.exitValue();
    }

    /** Returns the command's standard output. */
    byte[] out() {
        return read(out);
    }

    /** Returns the number of bytes that the command has written to standard output. */
    long outLength() throws IOException {
        return Files.size(out);
    }

    /** Returns the command's standard error. */
    String err() {
        return new String(read(err), StandardCharsets.UTF_8);
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until standard error contains a text. */
    void awaitErr(String text) {
        await().until(() -> {
            assertThat(process.isAlive() || err().contains(text)).as(this::err).isTrue();
            return err().contains(text);
        });
    }

    /** Sends a signal, such as INT. */
    void signal(String name) throws Exception {
        int code = new ProcessBuilder("kill", "-" + name, "" + process.pid())
                .start()
                .waitFor();
        assertThat(code).isZero();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }
}

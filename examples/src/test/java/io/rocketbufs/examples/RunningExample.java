package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.process.TestProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An example program that runs in a separate process, started in the same way as by bin/example. Its output includes
 * standard error.
 *
 * <p><b>Thread-safety:</b> confined to one thread. <b>Ownership:</b> closing this object kills the program if it is
 * still running.
 */
final class RunningExample implements AutoCloseable {
    private static final long LIMIT_S = 150;
    private static final int ENDED_BY_CTRL_C = 130;
    /** The programs, and a trial run that ends immediately because no program listens on its port. */
    private static final TestProgram EXAMPLES =
            TestProgram.of(Main.class.getName(), "TickerSubscriber", "EURUSD", "127.0.0.1:1");

    /** A marker for the end of the output, which no program prints as a line. */
    private static final String NO_MORE = "\0";

    private final Process process;
    private final Writer stdin;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private RunningExample(Process process) {
        this.process = process;
        this.stdin = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Thread reader = new Thread(this::readLines, "read-example");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a program. Arguments that start with -D must come first, as with bin/example. */
    static RunningExample start(String... arguments) throws IOException {
        // If a shell runs the test in the background, the test ignores Ctrl-C, and the program would inherit this
        // setting.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(EXAMPLES.command(
                Stream.of(arguments).takeWhile(RunningExample::isProperty).toArray(String[]::new)));
        Stream.of(arguments).dropWhile(RunningExample::isProperty).forEach(command::add);
        return new RunningExample(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private static boolean isProperty(String argument) {
        return argument.startsWith("-D");
    }

    /** Starts a program that listens. Waits until it is listening. */
    static Listening startListening(String... arguments) throws IOException, InterruptedException {
        RunningExample program = start(arguments);
        try {
            String line = program.await("listening on port ");
            return new Listening(program, "127.0.0.1:" + line.substring(line.lastIndexOf(' ') + 1));
        } catch (InterruptedException | RuntimeException | Error e) {
            program.close();
            throw e;
        }
    }

    /** A program and the address on which it listens. */
    record Listening(RunningExample program, String address) implements AutoCloseable {
        @Override
        public void close() {
            program.close();
        }
    }

    /** Returns the next line of the output. */
    String next() throws InterruptedException {
        String line = lines.poll(LIMIT_S, TimeUnit.SECONDS);
        assertThat(line).as("next line of %s", process.info().commandLine()).isNotNull();
        assertThat(line).as("a line before the end").isNotEqualTo(NO_MORE);
        return line;
    }

    /** Returns the next line of the output, which must start with the given text. */
    String await(String beginning) throws InterruptedException {
        String line = next();
        assertThat(line).startsWith(beginning);
        return line;
    }

    /** Writes a line to the program's standard input. */
    void write(String line) throws IOException {
        stdin.write(line + "\n");
        stdin.flush();
    }

    /**
     * Writes lines to the program's standard input and closes the input. This happens on a separate thread, because the
     * program may not read for a long time.
     */
    void writeAll(List<String> all) {
        Thread writer = new Thread(
                () -> {
                    try (Writer input = stdin) {
                        for (String line : all) {
                            input.write(line + "\n");
                        }
                    } catch (IOException e) {
                        lines.add("cannot write to the program: " + e.getMessage());
                    }
                },
                "write-example");
        writer.setDaemon(true);
        writer.start();
    }

    void endInput() throws IOException {
        stdin.close();
    }

    /** Waits until the program ends, checks that it prints no more lines, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).as("has ended").isTrue();
        assertThat(lines.poll(LIMIT_S, TimeUnit.SECONDS)).isEqualTo(NO_MORE);
        return process.exitValue();
    }

    /** Suspends the program until it is resumed. */
    void pause() throws IOException, InterruptedException {
        send("STOP");
    }

    void resume() throws IOException, InterruptedException {
        send("CONT");
    }

    private void send(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Ends the program in the same way as Ctrl-C. */
    void interrupt() throws IOException, InterruptedException {
        send("INT");
        assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).as("has ended").isTrue();
        assertThat(process.exitValue()).isEqualTo(ENDED_BY_CTRL_C);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            stdin.close();
        } catch (IOException e) {
            // The program has ended with some of its input unread.
        }
    }

    private void readLines() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            reader.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            // The failure counts as the end of the output.
        }
        lines.add(NO_MORE);
    }
}

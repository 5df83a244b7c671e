package io.rocketbufs.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A program started by a command. It reads requests and prints replies, one per line. It ends when the parent process
 * ends, even if the parent is killed, because its standard input then ends.
 *
 * <p><b>Thread-safety:</b> confined to one thread. <b>Ownership:</b> closing this object ends the program.
 */
public final class ChildProgram implements AutoCloseable {
    private static final long END_S = 10;
    private static final double SECOND_NS = 1e9;
    private static final long KIB = 1024;
    /** Marks the end of the output; no program prints this line. */
    private static final String NO_MORE = "\0";

    private final String name;
    private final Process process;
    private final Writer stdin;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ChildProgram(String name, Process process) {
        this.name = name;
        this.process = process;
        this.stdin = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    }

    /**
     * Starts a program.
     *
     * @param name name of the program, used in messages
     * @param onEnd called on a separate thread when the program ends
     * @throws CommandFailure if the process cannot be started
     */
    public static ChildProgram start(Programs programs, String name, List<String> arguments, Runnable onEnd) {
        try {
            ChildProgram child = new ChildProgram(name, programs.start(arguments));
            Thread reader = new Thread(
                    () -> {
                        child.readLines();
                        onEnd.run();
                    },
                    "read-" + name);
            reader.setDaemon(true);
            reader.start();
            return child;
        } catch (IOException e) {
            throw CommandFailure.failed("cannot start " + name + ": " + e.getMessage());
        }
    }

    /** Sends a line to the program. If the program has ended, the next {@link #await} reports it. */
    public void order(String line) {
        try {
            stdin.write(line + "\n");
            stdin.flush();
        } catch (IOException e) {
            lines.add(NO_MORE);
        }
    }

    /**
     * Waits until the program prints a line that starts with the given text. Returns that line.
     *
     * @throws CommandFailure if the program ends first or does not print the line within the limit. If the program's
     *     exit code states a reason, the failure has the same exit code
     */
    public String await(String beginning, Duration limit) throws InterruptedException {
        long deadlineNs = System.nanoTime() + limit.toNanos();
        while (true) {
            String line = lines.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new CommandFailure(
                        ExitCode.TIMEOUT,
                        name + " did not print \"" + beginning + "\" within " + limit.toSeconds() + " s");
            }
            if (line.equals(NO_MORE)) {
                int code = process.waitFor();
                throw new CommandFailure(
                        ExitCode.isReason(code) ? code : ExitCode.FAILED, name + " ended with exit code " + code);
            }
            if (line.startsWith(beginning)) {
                return line;
            }
        }
    }

    /** Returns the processor time used so far in seconds, or NaN if it is not available. */
    public double cpuSeconds() {
        try {
            return process.toHandle()
                    .info()
                    .totalCpuDuration()
                    .map(time -> time.toNanos() / SECOND_NS)
                    .orElse(Double.NaN);
        } catch (UnsupportedOperationException e) {
            return Double.NaN;
        }
    }

    /** Returns the resident memory in bytes, or 0 if the system does not report it. */
    public long residentBytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return KIB * Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException | UnsupportedOperationException e) {
            return 0;
        }
        return 0;
    }

    /** Ends the program gracefully. Kills the program if it does not end in time. */
    @Override
    public void close() {
        try {
            stdin.close();
        } catch (IOException e) {
            // The program has already ended.
        }
        boolean interrupted = Thread.interrupted();
        if (!hasEnded()) {
            process.destroy();
            if (!hasEnded()) {
                process.destroyForcibly();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean hasEnded() {
        try {
            return process.waitFor(END_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void readLines() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // Handled like the end of the stream.
        }
        lines.add(NO_MORE);
    }
}

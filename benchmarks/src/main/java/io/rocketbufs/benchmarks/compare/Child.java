package io.rocketbufs.benchmarks.compare;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A child process that receives commands and answers them, line by line. It should end when its standard input is
 * closed; otherwise, it is killed.
 *
 * <p><b>Thread-safety:</b> used by one thread.
 */
public final class Child implements Closeable {
    private static final long END_S = 10;
    private static final int FIRST_LINES = 5;
    /** Marks the end of the output; no program prints this line. */
    private static final String NO_MORE = "\0";

    private final String name;
    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    /**
     * Kills the process and its children when this program exits prematurely, because a paused process would otherwise
     * never end.
     */
    private final Thread killer = new Thread(this::kill, "bench-kill");

    private boolean isPaused;
    /** Part of a line that indicates a failure; null if no line does. */
    private String failure;

    /** Starts the process. Its standard error is merged into its standard output. */
    public Child(String name, Path folder, Map<String, String> environment, List<String> command) throws IOException {
        this.name = name;
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.directory(folder.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
        Runtime.getRuntime().addShutdownHook(killer);
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "bench-read-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add(e.getMessage());
        } finally {
            lines.add(NO_MORE);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Returns the processor time of the process and its children in seconds. */
    public double cpuSecondsWithChildren() {
        return Processor.seconds(process.pid())
                + process.descendants()
                        .mapToDouble(child -> Processor.seconds(child.pid()))
                        .sum();
    }

    /** Pauses the process and its children until {@link #resume} is called, so that they use no processor time. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
        isPaused = true;
    }

    /** Makes the process and its children continue. */
    public void resume() throws IOException, InterruptedException {
        if (isPaused) {
            signal("CONT");
            isPaused = false;
        }
    }

    private void signal(String name) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -" + name + " \"$@\"", "sh"));
        Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .forEach(each -> command.add(Long.toString(each.pid())));
        // A process that has ended cannot be signalled. The next call that waits for its output reports the end.
        new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** Makes {@link #await} fail when the process prints a line that contains {@code part}. Returns this child. */
    public Child failingAt(String part) {
        failure = part;
        return this;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a line. If the process has ended, the next read of its output detects this. */
    public void order(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            lines.add(NO_MORE);
        }
    }

    /**
     * Waits for the next line that contains {@code part}, and returns that line.
     *
     * @throws IOException if the process ends or prints no such line within the limit; the message contains the first
     *     lines that were read
     */
    public String await(String part, long limitMs) throws IOException, InterruptedException {
        StringBuilder said = new StringBuilder();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        for (int count = 0; ; count++) {
            String line = lines.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new IOException(name + " did not print \"" + part + "\" within " + limitMs + " ms" + said);
            }
            if (line.equals(NO_MORE)) {
                throw new IOException(name + " ended with exit code " + process.waitFor() + said);
            }
            if (line.contains(part)) {
                return line;
            }
            if (failure != null && line.contains(failure)) {
                throw new IOException(name + " printed: " + line);
            }
            if (count < FIRST_LINES) {
                said.append(count == 0 ? ": " : " / ").append(line);
            }
        }
    }

    /**
     * Waits, like {@link #await}, for the line that shows that the process is ready. On failure, closes the process.
     */
    public String awaitReady(String part, long limitMs) throws IOException, InterruptedException {
        try {
            return await(part, limitMs);
        } catch (IOException | InterruptedException e) {
            close();
            throw e;
        }
    }

    /**
     * Waits for the given time while the process runs.
     *
     * @throws IOException if the process ends during this time; the message contains the process's output
     */
    public void letRun(long ms) throws IOException, InterruptedException {
        if (process.waitFor(ms, TimeUnit.MILLISECONDS)) {
            throw new IOException(
                    name + " ended with exit code " + process.exitValue() + ": " + String.join(" / ", rest(0)));
        }
    }

    /** Waits until the process has ended. Returns the rest of its output. */
    public List<String> rest(long limitMs) throws IOException, InterruptedException {
        if (!process.waitFor(limitMs, TimeUnit.MILLISECONDS)) {
            throw new IOException(name + " did not end within " + limitMs + " ms");
        }
        List<String> rest = new ArrayList<>();
        for (String line = lines.take(); !line.equals(NO_MORE); line = lines.take()) {
            rest.add(line);
        }
        return rest;
    }

    /**
     * Ends the process and its children. First closes the input of the process, then requests termination, and finally
     * kills the process.
     */
    @Override
    public void close() {
        List<ProcessHandle> started = process.descendants().toList();
        try {
            input.close();
        } catch (IOException e) {
            // The process has already ended.
        }
        try {
            resumeToEnd();
            process.destroy();
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            for (ProcessHandle each : started) {
                each.onExit().completeOnTimeout(null, END_S, TimeUnit.SECONDS).join();
                each.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        removeKiller();
    }

    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void removeKiller() {
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // This program is already exiting.
        }
    }

    private void resumeToEnd() throws InterruptedException {
        try {
            resume();
        } catch (IOException e) {
            // A process that stays paused is killed later.
        }
    }
}

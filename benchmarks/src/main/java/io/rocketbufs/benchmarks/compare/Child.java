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

/**
 * A program that was started: it is told what to do line by line, and answers in lines. It ends with its standard
 * input, or is ended.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Child implements Closeable {
    private static final long END_S = 10;
    private static final int FIRST_LINES = 5;
    /** A line that no program prints. */
    private static final String NO_MORE = "\0";

    private final String name;
    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /** Starts it; what it says on the standard error comes among its lines. */
    Child(String name, Path folder, Map<String, String> environment, List<String> command) throws IOException {
        this.name = name;
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.directory(folder.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
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

    /** Processor time of it and of those that it has started, in seconds. */
    double cpuSecondsWithChildren() {
        return Processor.seconds(process.pid())
                + process.descendants()
                        .mapToDouble(child -> Processor.seconds(child.pid()))
                        .sum();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Tells it something; that it has ended is noticed at the next answer. */
    void order(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            lines.add(NO_MORE);
        }
    }

    /**
     * The next line that contains this.
     *
     * @throws IOException with its first lines when it ends before, or when there is no such line within the limit
     */
    String await(String part, long limitMs) throws IOException, InterruptedException {
        StringBuilder said = new StringBuilder();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        for (int count = 0; ; count++) {
            String line = lines.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new IOException(name + " has not said \"" + part + "\" within " + limitMs + " ms" + said);
            }
            if (line.equals(NO_MORE)) {
                throw new IOException(name + " has ended with exit code " + process.waitFor() + said);
            }
            if (line.contains(part)) {
                return line;
            }
            if (count < FIRST_LINES) {
                said.append(count == 0 ? ": " : " / ").append(line);
            }
        }
    }

    /**
     * Lets it run for a while.
     *
     * @throws IOException with what it has said when it ends before
     */
    void letRun(long ms) throws IOException, InterruptedException {
        if (process.waitFor(ms, TimeUnit.MILLISECONDS)) {
            throw new IOException(
                    name + " has ended with exit code " + process.exitValue() + ": " + String.join(" / ", rest(0)));
        }
    }

    /** All that it still prints, after which it has ended. */
    List<String> rest(long limitMs) throws IOException, InterruptedException {
        if (!process.waitFor(limitMs, TimeUnit.MILLISECONDS)) {
            throw new IOException(name + " has not ended within " + limitMs + " ms");
        }
        List<String> rest = new ArrayList<>();
        for (String line = lines.take(); !line.equals(NO_MORE); line = lines.take()) {
            rest.add(line);
        }
        return rest;
    }

    /** Ends it and what it has started: by the end of its input, by asking, by force. */
    @Override
    public void close() {
        List<ProcessHandle> started = process.descendants().toList();
        try {
            input.close();
        } catch (IOException e) {
            // It has ended already.
        }
        try {
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
    }
}

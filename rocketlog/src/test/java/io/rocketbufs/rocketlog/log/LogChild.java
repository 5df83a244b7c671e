package io.rocketbufs.rocketlog.log;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A separate process that uses a log directory: {@code open DIR}, {@code append DIR} or {@code fill DIR}. */
final class LogChild implements AutoCloseable {
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    private final Process process;
    private final BufferedReader output;

    private LogChild(ProcessBuilder command) throws IOException {
        process = command.redirectErrorStream(true).start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static LogChild start(String... arguments) throws IOException {
        return new LogChild(new ProcessBuilder(command(arguments)));
    }

    /** Returns the command that runs the child. */
    static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
        command.addAll(List.of("-cp", CLASS_PATH.replace(File.pathSeparator, ":"), LogChild.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns the next line of output that starts with the given word, or null at the end of the output. */
    String line(String word) throws IOException {
        String line = output.readLine();
        while (line != null && !line.startsWith(word)) {
            line = output.readLine();
        }
        return line;
    }

    /** Kills the process with SIGKILL, and returns the last line of output that starts with the given word. */
    String kill(String word) throws IOException, InterruptedException {
        process.toHandle().destroyForcibly(); // Process.destroyForcibly would close the output
        String last = null;
        for (String line = line(word); line != null; line = line(word)) {
            last = line;
        }
        process.waitFor();
        return last;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs the child process. */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[1]);
        try (LogDirectory logs = LogDirectory.open(directory, LogDirectoryTest.OPTIONS, (log, offset) -> {})) {
            PartitionLog log = logs.partition("orders-0");
            System.out.println("opened " + log.nextOffset());
            if (arguments[0].equals("append")) {
                append(log);
            } else if (arguments[0].equals("fill")) {
                fill(log);
            }
        } catch (LogException e) {
            System.out.println("refused " + e.getMessage());
        }
    }

    private static void append(PartitionLog log) {
        long offset = log.nextOffset();
        while (offset >= 0) {
            offset = log.append(batch(log.nextOffset()));
            System.out.println("appended " + offset);
        }
    }

    private static void fill(PartitionLog log) {
        long result = 0;
        while (result >= 0) {
            result = log.append(batch(log.nextOffset()));
        }
        System.out.println("full " + result + " " + log.nextOffset() + " " + log.failure());
        System.out.println("read " + Batches.read(log).size());
    }

    /** Returns a batch of one record whose content is derived from its offset. */
    static ByteBuffer batch(long offset) {
        return Batches.of(1000 + offset, 1, "v".repeat((int) (offset % 500)));
    }
}

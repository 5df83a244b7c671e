package io.rocketbufs.livestream.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A relay or an edge that a command has started, as a process of its own. It ends at the latest when this process does,
 * even if this is killed, because its standard input ends then.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Child implements AutoCloseable {
    private static final long END_S = 10;
    private static final double SECOND_NS = 1e9;

    private final Process process;
    private final Map<String, Integer> ports = new HashMap<>();

    private Child(Process process) {
        this.process = process;
    }

    /** Starts a command and waits until it is ready. */
    static Child start(String command, ConfigOptions config, String... sets) {
        List<String> line = new ArrayList<>();
        line.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // An archive or a recording is written by one process; a debugger is attached to one.
            if (!flag.startsWith("-XX:ArchiveClassesAtExit")
                    && !flag.startsWith("-XX:StartFlightRecording")
                    && !flag.startsWith("-agentlib:")) {
                line.add(flag);
            }
        }
        if (System.getProperty("log.level") == null) {
            line.add("-Dlog.level=warn");
        }
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), command));
        line.add("--end-with-stdin");
        // What the user says comes last, and so wins.
        for (String set : sets) {
            line.addAll(List.of("--set", set));
        }
        line.addAll(config.toArguments());
        try {
            Child child = new Child(new ProcessBuilder(line)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
            child.awaitReady(command);
            return child;
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.FAILED, command + " cannot be started: " + e.getMessage());
        }
    }

    private void awaitReady(String command) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String ready = reader.readLine();
        if (ready == null || !ready.startsWith("ready ")) {
            close();
            boolean isMeant = process.exitValue() == ExitCode.BAD_CONFIGURATION
                    || process.exitValue() == ExitCode.TRANSPORT_UNAVAILABLE;
            throw new CommandFailure(
                    isMeant ? process.exitValue() : ExitCode.FAILED,
                    command + " has ended with exit code " + process.exitValue());
        }
        for (String port : ready.substring("ready ".length()).split(" ")) {
            int equals = port.indexOf('=');
            ports.put(port.substring(0, equals), Integer.valueOf(port.substring(equals + 1)));
        }
    }

    /** A port of its ready line. */
    int port(String name) {
        return ports.get(name);
    }

    /** Processor time used so far. */
    double cpuSeconds() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L) / SECOND_NS;
    }

    /** Bytes of memory that it has in use; 0 where the system does not tell. */
    long residentBytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException e) {
            return 0;
        }
        return 0;
    }

    /** Ends it: in good order, else without. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                process.waitFor(END_S, TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

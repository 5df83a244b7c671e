package io.rocketbufs.rocketnet.tcp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Pinning of a thread to one core with Linux {@code taskset}, because neither Java nor this module's native library
 * provides a call for it. The result is checked against the kernel's list of allowed cores.
 *
 * <p><b>Thread-safety:</b> any thread may call these methods; {@link #threadId} refers to the calling thread.
 */
final class ThreadPinning {
    private static final long TASKSET_TIMEOUT_S = 5;
    private static final String ALLOWED = "Cpus_allowed_list:";

    private ThreadPinning() {}

    /** Returns the kernel's id of the calling thread. */
    static int threadId() throws IOException {
        return Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString());
    }

    /** Returns the cores that this process may use. */
    static List<Integer> cores() throws IOException {
        return parse(allowed(Path.of("/proc/self/status")));
    }

    /** Pins a thread to a core. Returns the reason for the failure, or an empty result on success. */
    static Optional<String> pin(int threadId, int core) throws IOException, InterruptedException {
        Process taskset = new ProcessBuilder("taskset", "-cp", "" + core, "" + threadId)
                .redirectErrorStream(true)
                .start();
        if (!taskset.waitFor(TASKSET_TIMEOUT_S, TimeUnit.SECONDS)) {
            taskset.destroyForcibly();
            return Optional.of("taskset did not end within " + TASKSET_TIMEOUT_S + " s");
        }
        List<Integer> cores = parse(allowed(Path.of("/proc/self/task/" + threadId + "/status")));
        if (cores.equals(List.of(core))) {
            return Optional.empty();
        }
        String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return Optional.of("core " + core + ": " + said);
    }

    private static String allowed(Path status) throws IOException {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .findFirst()
                .orElseThrow(() -> new IOException("no " + ALLOWED + " in " + status))
                .substring(ALLOWED.length())
                .strip();
    }

    /** Parses a list such as {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        List<Integer> cores = new ArrayList<>();
        for (String range : list.split(",")) {
            String[] ends = range.split("-");
            for (int core = Integer.parseInt(ends[0]); core <= Integer.parseInt(ends[ends.length - 1]); core++) {
                cores.add(core);
            }
        }
        return cores;
    }
}

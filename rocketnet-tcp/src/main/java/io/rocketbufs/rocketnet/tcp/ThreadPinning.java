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
 * Keeps a thread on one core, by Linux' {@code taskset}: Java has no call for that, and this module's native library
 * none either. The kernel's own answer decides whether it worked.
 *
 * <p><b>Thread-safety:</b> any thread, except that {@link #threadId} speaks of its caller.
 */
final class ThreadPinning {
    private static final long TASKSET_TIMEOUT_S = 5;
    private static final String ALLOWED = "Cpus_allowed_list:";

    private ThreadPinning() {}

    /** The kernel's number of the calling thread. */
    static int threadId() throws IOException {
        return Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString());
    }

    /** The cores that this process may use. */
    static List<Integer> cores() throws IOException {
        return parse(allowed(Path.of("/proc/self/status")));
    }

    /** Keeps a thread on a core. Returns why that is not so, or nothing. */
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

    /** Reads a list like {@code 0-3,8}. */
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

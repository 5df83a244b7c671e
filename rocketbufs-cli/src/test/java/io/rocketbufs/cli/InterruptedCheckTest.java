package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the processes started by {@code bin/check} end when it is terminated. */
@Tag("once")
final class InterruptedCheckTest {
    /** Waits until the process runs {@code sleep}: a signal that a shell receives just before that can be lost. */
    private static final String LIBRARY = ". ../bin/lib/reports.sh; begin() { sleep 600 &"
            + " until [[ $(</proc/$!/comm) == sleep ]]; do :; done; };"
            + " started() { begin; echo $! >\"$1\"; wait; }; ";

    private static final String BACKGROUND = LIBRARY + "start_beside /dev/null started \"$1\"; sleep 600";
    private static final String FOREGROUND = LIBRARY + "run_in_group started \"$1\"";
    private static final String STOPPED =
            LIBRARY + "stopped() { begin; kill -STOP $!; echo $! >\"$1\"; wait; }; run_in_group stopped \"$1\"";

    @TempDir
    Path folder;

    /**
     * Starts a script that writes the id of a process to a file, and calls {@code kill} with the given target. Asserts
     * that the process ends.
     */
    private void assertEnds(String script, String signal, boolean isTerminal) throws Exception {
        Path file = folder.resolve("pid");
        // The process is started as a shell in a terminal would start it: it does not inherit ignored signals, and has
        // its own process group.
        Process check = new ProcessBuilder(
                        "env", "--default-signal=HUP,INT", "setsid", "bash", "-euc", script, "bash", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("messages").toFile())
                .start();
        try {
            String pid = await().atMost(Duration.ofSeconds(60))
                    .until(() -> lines(file), lines -> lines.size() == 1)
                    .get(0);
            ProcessHandle started = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
            String target = (isTerminal ? "-" : "") + check.pid();
            assertThat(new ProcessBuilder("kill", "-" + signal, "--", target)
                            .start()
                            .waitFor())
                    .isZero();
            assertThat(check.onExit()).succeedsWithin(Duration.ofSeconds(60));
            await().atMost(Duration.ofSeconds(60)).until(() -> !started.isAlive());
        } finally {
            check.descendants().forEach(ProcessHandle::destroyForcibly);
            check.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP"})
    void shouldEndTheBackgroundWhenItsTerminalInterruptsIt(String signal) throws Exception {
        assertEnds(BACKGROUND, signal, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP"})
    void shouldEndTheForegroundWhenOnlyTheShellIsEnded(String signal) throws Exception {
        assertEnds(FOREGROUND, signal, false);
    }

    @Test
    void shouldEndAProcessThatIsStopped() throws Exception {
        assertEnds(STOPPED, "TERM", false);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
}

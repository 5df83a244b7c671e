package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processes that {@code bin/check} starts in the background. */
@Tag("once")
final class InterruptedCheckTest {
    private static final String SCRIPT = ". ../bin/lib/reports.sh; background() { sleep 600 & echo $!; wait; };"
            + " start_beside \"$1\" background; sleep 600";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP"})
    void shouldEndTheBackgroundWhenItIsInterrupted(String signal) throws Exception {
        Path output = folder.resolve("output");
        // Like a shell in a terminal: not a child of a process that ignores signals, and in a group of its own.
        Process check = new ProcessBuilder(
                        "env", "--default-signal=HUP,INT", "setsid", "bash", "-euc", SCRIPT, "bash", output.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("messages").toFile())
                .start();
        try {
            ProcessHandle background =
                    await()
                            .atMost(Duration.ofSeconds(60))
                            .until(() -> lines(output), lines -> lines.size() == 1)
                            .stream()
                            .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                            .findAny()
                            .orElseThrow();
            assertThat(new ProcessBuilder("kill", "-" + signal, "--", "-" + check.pid())
                            .start()
                            .waitFor())
                    .isZero();
            check.onExit().join();
            await().atMost(Duration.ofSeconds(60)).until(() -> !background.isAlive());
        } finally {
            check.descendants().forEach(ProcessHandle::destroyForcibly);
            check.destroyForcibly();
        }
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
}

package io.rocketbufs.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChildTest {
    @TempDir
    private Path folder;

    private Child shell(String script) throws Exception {
        return new Child("shell", folder, Map.of(), List.of("sh", "-c", script));
    }

    @Test
    void shouldUseNoProcessorTimeWhilePaused() throws Exception {
        try (Child child = shell("echo ready; while :; do :; done")) {
            child.await("ready", 60_000);
            child.pause();
            Path state = Path.of("/proc/" + child.pid() + "/stat");
            await().until(() -> Files.readString(state).contains(") T "));
            double before = child.cpuSecondsWithChildren();
            child.letRun(200);
            assertThat(child.cpuSecondsWithChildren()).isEqualTo(before);
        }
    }

    @Test
    void shouldAnswerAfterAPause() throws Exception {
        try (Child child = shell("while read line; do echo answer $line; done")) {
            child.pause();
            child.order("one");
            child.resume();
            assertThat(child.await("answer", 60_000)).isEqualTo("answer one");
        }
    }

    @Test
    void shouldFailAtALineThatShowsAFailure() throws Exception {
        try (Child child = shell("echo WARN no permission; echo ready; cat").failingAt("no permission")) {
            assertThatThrownBy(() -> child.await("ready", 60_000)).hasMessage("shell printed: WARN no permission");
        }
    }

    @Test
    void shouldEndWhilePaused() throws Exception {
        await().until(() -> {
            Child child = shell("cat");
            child.pause();
            long startNs = System.nanoTime();
            child.close();
            assertThat(child.isAlive()).isFalse();
            return System.nanoTime() - startNs < 9_000_000_000L; // the process would be killed after 10 s
        });
    }
}

package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ThreadPinningTest {
    @Test
    void shouldReadListsOfCores() {
        assertThat(ThreadPinning.parse("0")).containsExactly(0);
        assertThat(ThreadPinning.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
    }

    @Test
    void shouldKeepEachWorkerOnItsCore() throws Exception {
        try (TcpEnds ends = new TcpEnds("auto", "thread-pinning = on")) {
            List<Integer> cores = ThreadPinning.cores();
            assertThat(ends.transport.detail()).endsWith(", pinned");
            CompletableFuture<String> status = new CompletableFuture<>();
            ends.connect().connection().worker().execute(() -> status.complete(status()));
            assertThat(cores.stream().map(core -> "Cpus_allowed_list:\t" + core + "\n"))
                    .anyMatch(status.get(60, TimeUnit.SECONDS)::contains);
        }
    }

    private static String status() {
        try {
            return Files.readString(Path.of("/proc/thread-self/status"));
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    @Test
    void shouldReportWhyAThreadIsNotPinned() throws Exception {
        assertThat(ThreadPinning.pin(ThreadPinning.threadId(), 100_000))
                .hasValueSatisfying(
                        cause -> assertThat(cause).startsWith("core 100000: ").contains("taskset"));
    }
}

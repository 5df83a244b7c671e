package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.log.LogOptions.FlushPolicy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A directory of logs on a real file system. */
@Timeout(180)
final class LogDirectoryTest {
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS
            .withSegments(64 << 10, 16 << 10, 32 << 10)
            .withIndexInterval(1024)
            .withFlush(FlushPolicy.ALWAYS);

    @TempDir
    Path folder;

    @Test
    void shouldReportWhenRecordsAreDurable() throws Exception {
        CompletableFuture<Long> durable = new CompletableFuture<>();
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> durable.complete(offset))) {
            PartitionLog log = directory.partition("orders-0");
            log.append(Batches.of(1, 3, "value"));
            directory.requestFlush();
            assertThat(durable.get(120, TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(directory.durableOffset(log)).isEqualTo(3);
        }
    }

    @Test
    void shouldAcceptNothingAfterTheCallbackHasThrown() {
        LogDirectory.DurableCallback failing = (log, offset) -> {
            throw new IllegalStateException("thrown by the callback");
        };
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, failing)) {
            PartitionLog log = directory.partition("orders-0");
            log.append(Batches.of(1, 3, "value"));
            directory.requestFlush();
            await().atMost(Duration.ofSeconds(120)).until(() -> log.failure() != null);
            assertThat(log.failure()).hasMessageContaining("thrown by the callback");
            assertThat(log.append(Batches.of(1, 3, "value"))).isEqualTo(PartitionLog.FAILED);
        }
    }

    @Test
    void shouldKeepEverythingOverCleanAndUncleanStops() {
        for (int round = 0; round < 3; round++) {
            try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
                PartitionLog log = directory.partition("orders-0");
                assertThat(log.nextOffset()).isEqualTo(round * 2000L);
                for (int i = 0; i < 1000; i++) {
                    assertThat(log.append(Batches.of(1, 2, "v".repeat(i % 100))))
                            .isEqualTo(round * 2000L + i * 2L);
                }
                assertThat(Batches.read(log)).hasSize((round + 1) * 1000);
            }
        }
    }

    @Test
    void shouldContinueAfterTheThreadWasInterrupted() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            PartitionLog log = directory.partition("orders-0");
            Thread.currentThread().interrupt();
            assertThat(log.append(Batches.of(1, 1, "value"))).isZero();
            assertThat(log.read(0, ByteBuffer.allocate(500))).isPositive();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(log.append(Batches.of(1, 1, "value"))).isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseASecondUserAndNameTheProcess() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            assertThatThrownBy(() -> LogDirectory.open(folder, OPTIONS, (log, offset) -> {}))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
            assertThat(directory.partition("orders-0").nextOffset()).isZero();
        }
    }

    @Test
    void shouldRefuseADirectoryOfAnotherFormat() throws Exception {
        Files.writeString(folder.resolve("FORMAT"), "rocketlog 2\n");
        assertThatThrownBy(() -> LogDirectory.open(folder, OPTIONS, (log, offset) -> {}))
                .hasMessageContaining("rocketlog 2")
                .hasMessageContaining("supports 'rocketlog 1'");
    }

    @Test
    void shouldRefuseNamesThatAreNotPartitions() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            for (String name : List.of("", "orders", "../orders-0", "a/b-0", "orders-x")) {
                assertThatThrownBy(() -> directory.partition(name))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("name=" + name);
            }
        }
    }

    @Test
    void shouldFindEachKindOfDamage() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            PartitionLog log = directory.partition("orders-0");
            for (int i = 0; i < 2000; i++) {
                log.append(Batches.of(i, 1, "value"));
            }
        }
        assertThat(inspect()).isEmpty();
        try (var files = Files.list(folder.resolve("orders-0"))) {
            for (Path file :
                    files.filter(path -> !path.toString().endsWith(".tmp")).toList()) {
                byte[] original = Files.readAllBytes(file);
                if (original.length == 0) {
                    continue;
                }
                for (int i = 0; i < 12; i++) {
                    byte[] damaged = original.clone();
                    damaged[(int) ((long) i * (original.length - 1) / 11)] ^= 16;
                    Files.write(file, damaged);
                    assertThat(inspect())
                            .as("%s, byte %d", file, i)
                            .anyMatch(each -> each.file().equals(file));
                }
                Files.write(file, Arrays.copyOf(original, original.length - 1));
                assertThat(inspect())
                        .as("truncated %s", file)
                        .anyMatch(each -> each.file().equals(file));
                Files.write(file, original);
            }
        }
    }

    private List<LogInspection.Finding> inspect() throws Exception {
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> {});
        inspection.inspect(folder);
        return new ArrayList<>(inspection.findings());
    }
}

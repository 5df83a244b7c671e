package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.log.LogOptions.FlushPolicy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a directory of logs on a real file system. */
@Tag("once")
@Timeout(600)
final class LogDirectoryTest {
    static final LogOptions OPTIONS = LogOptions.DEFAULTS
            .withSegments(64 << 10, 16 << 10, 32 << 10)
            .withIndexInterval(1024)
            .withRetention(null, 0) // because the batches in the tests are old
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
            assertThat(durable.get()).isEqualTo(3);
            assertThat(directory.durableOffset(log)).isEqualTo(3);
        }
    }

    @Test
    void shouldAcceptNothingAfterTheCallbackHasThrown() {
        LogListener failing = (log, offset) -> {
            throw new IllegalStateException("thrown by the callback");
        };
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, failing)) {
            PartitionLog log = directory.partition("orders-0");
            log.append(Batches.of(1, 3, "value"));
            directory.requestFlush();
            await().forever().until(() -> log.failure() != null);
            assertThat(log.failure()).hasMessageContaining("thrown by the callback");
            assertThat(log.append(Batches.of(1, 3, "value"))).isEqualTo(PartitionLog.FAILED);
        }
    }

    @Test
    void shouldKeepEverythingAcrossStops() {
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
    void shouldCreateAndReadLogsOnAnInterruptedThread() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            Thread.currentThread().interrupt();
            PartitionLog log = directory.partition("orders-0");
            for (int i = 0; i < 1000; i++) {
                log.append(Batches.of(1, 2, "v".repeat(100)));
            }
            assertThat(Thread.interrupted()).isTrue();
        }
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            PartitionLog log = directory.partition("orders-0");
            assertThat(log.segments().all()).hasSizeGreaterThan(1);
            Thread.currentThread().interrupt();
            assertThat(log.read(0, ByteBuffer.allocate(500))).isPositive();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(log.append(Batches.of(1, 1, "value"))).isEqualTo(2000);
        }
    }

    @Test
    void shouldFlushWithoutARequestIfEachBatchMustBeDurable() throws Exception {
        CompletableFuture<Long> durable = new CompletableFuture<>();
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> durable.complete(offset))) {
            directory.partition("orders-0").append(Batches.of(1, 3, "value"));
            assertThat(durable.get()).isEqualTo(3);
        }
    }

    @Test
    void shouldReportDurableRecordsWhenSealingFailsAtTheEnd() throws Exception {
        List<Long> durable = new ArrayList<>();
        LogDirectory directory =
                LogDirectory.open(folder, OPTIONS.withFlush(FlushPolicy.NONE), (log, offset) -> durable.add(offset));
        directory.partition("orders-0").append(Batches.of(1, 3, "value"));
        String unfinished = SegmentName.of(0, SegmentName.INDEX) + SegmentName.UNFINISHED;
        Files.createDirectory(folder.resolve("orders-0").resolve(unfinished)); // a folder in place of the file
        assertThatThrownBy(directory::close).isInstanceOf(LogException.class).hasMessageContaining("Is a directory");
        assertThat(durable).containsExactly(3L);
    }

    @Test
    void shouldReportAFailureOnce() throws Exception {
        CompletableFuture<LogException> failed = new CompletableFuture<>();
        AtomicInteger count = new AtomicInteger();
        LogListener listener = new LogListener() {
            @Override
            public void onDurable(PartitionLog log, long durableOffset) {
                throw new AssertionError("an error that is not an exception");
            }

            @Override
            public void onFailed(PartitionLog log, LogException cause) {
                count.incrementAndGet();
                failed.complete(cause);
            }
        };
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, listener)) {
            PartitionLog log = directory.partition("orders-0");
            log.append(Batches.of(1, 3, "value"));
            assertThat(failed.get()).hasMessageContaining("an error that is not an exception");
            assertThat(log.failure()).isSameAs(failed.get());
            directory.requestFlush();
        }
        assertThat(count).hasValue(1);
    }

    @Test
    void shouldCloseAllLogsWhenTheClosingThreadIsInterrupted() throws Exception {
        LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {});
        directory.partition("orders-0").append(Batches.of(1, 1, "value"));
        Thread.currentThread().interrupt();
        directory.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(folder.resolve("orders-0").resolve(SegmentName.of(0, SegmentName.SEAL)))
                .exists();
        LogDirectory.open(folder, OPTIONS, (log, offset) -> {}).close();
    }

    @Test
    void shouldCloseTheOtherLogsWhenOneCannotBeCompleted() throws Exception {
        LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {});
        for (String name : List.of("a-0", "b-0", "c-0")) {
            directory.partition(name).append(Batches.of(1, 1, "value"));
        }
        PartitionLog broken = directory.partition("b-0");
        await().until(() -> directory.durableOffset(broken) == 1); // otherwise, a later flush would fail the log first
        deleteFolder(folder.resolve("b-0"));
        assertThatThrownBy(directory::close).isInstanceOf(LogException.class).hasMessageContaining("b-0");
        for (String name : List.of("a-0", "c-0")) {
            assertThat(folder.resolve(name).resolve(SegmentName.of(0, SegmentName.SEAL)))
                    .exists();
        }
        assertThatThrownBy(() -> broken.read(0, ByteBuffer.allocate(500)))
                .isInstanceOfSatisfying(
                        LogException.class, e -> assertThat(e.code()).isEqualTo(LogException.Code.CLOSED));
        LogDirectory.open(folder, OPTIONS, (log, offset) -> {}).close();
    }

    private static void deleteFolder(Path path) throws Exception {
        try (var files = Files.list(path)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(path);
    }

    @Test
    void shouldRefuseEverythingAfterItWasClosed() {
        LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {});
        PartitionLog log = directory.partition("orders-0");
        log.append(Batches.of(1, 1, "value"));
        directory.close();
        assertThat(log.append(Batches.of(1, 1, "value"))).isEqualTo(PartitionLog.FAILED);
        assertThatThrownBy(() -> log.read(0, ByteBuffer.allocate(500)))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> log.offsetOf(0)).isInstanceOf(LogException.class);
        assertThatThrownBy(() -> directory.partition("other-0"))
                .isInstanceOf(LogException.class)
                .hasMessageContaining(folder + " is closed");
        directory.close();
    }

    @Test
    void shouldNotLetTheListenerCloseTheDirectory() throws Exception {
        CompletableFuture<LogDirectory> opened = new CompletableFuture<>();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        LogListener closing = (log, offset) -> {
            try {
                opened.join().close();
                thrown.complete(null);
            } catch (IllegalStateException e) {
                thrown.complete(e);
            }
        };
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, closing)) {
            opened.complete(directory);
            directory.partition("orders-0").append(Batches.of(1, 1, "value"));
            assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void shouldRefuseASecondUserAndNameTheProcess() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            assertThatThrownBy(() -> LogDirectory.open(folder, OPTIONS, (log, offset) -> {}))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining(
                            "this process, " + ProcessHandle.current().pid());
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
    void shouldRefuseADirectoryWithOtherFiles() throws Exception {
        Files.writeString(folder.resolve("holiday.jpg"), "");
        assertThatThrownBy(() -> LogDirectory.open(folder, OPTIONS, (log, offset) -> {}))
                .hasMessage(folder + " is not a log directory: it contains holiday.jpg but no file FORMAT; use an empty"
                        + " directory");
        assertThat(folder).isDirectoryNotContaining(file -> !file.endsWith("holiday.jpg"));
        Files.delete(folder.resolve("holiday.jpg"));
        Files.createDirectory(folder.resolve("lost+found"));
        LogDirectory.open(folder, OPTIONS, (log, offset) -> {}).close();
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

    @Test
    void shouldReportNothingAboutAPartitionThatIsBeingDeleted() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            directory.partition("orders-0").append(Batches.of(1, 1, "value"));
            directory.partition("prices-0").append(Batches.of(1, 1, "value"));
        }
        List<Path> asked = new ArrayList<>();
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> {}, partition -> {
            asked.add(partition);
            FolderRemoval.remove(folder.resolve("orders-0")); // completes before the inspection asks again
            return null;
        });
        inspection.inspect(folder);
        assertThat(inspection.findings()).isEmpty();
        assertThat(inspection.batches()).isEqualTo(1);
        assertThat(asked).contains(folder.resolve("orders-0"), folder.resolve("prices-0"));
    }

    @Test
    void shouldFindSegmentsThatAreLost() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, (log, offset) -> {})) {
            PartitionLog log = directory.partition("orders-0");
            for (int i = 0; i < 3000; i++) {
                log.append(Batches.of(i, 1, "value"));
            }
        }
        Path partition = folder.resolve("orders-0");
        List<Path> segments;
        try (var files = Files.list(partition)) {
            segments = files.filter(path -> path.toString().endsWith(SegmentName.LOG))
                    .sorted()
                    .toList();
        }
        assertThat(segments).hasSizeGreaterThan(2);
        Path last = segments.get(segments.size() - 1);
        Files.delete(last);
        assertThat(inspect()).singleElement().satisfies(found -> {
            assertThat(found.file()).isEqualTo(last);
            assertThat(found.problem()).contains("the file is missing, but the segment was complete");
        });
        for (Path segment : segments) {
            Files.deleteIfExists(segment);
        }
        assertThat(inspect()).extracting(LogInspection.Finding::file).containsExactlyElementsOf(segments);
    }

    private List<LogInspection.Finding> inspect() throws Exception {
        LogInspection inspection = new LogInspection((file, position, buffer, batch) -> {});
        inspection.inspect(folder);
        return new ArrayList<>(inspection.findings());
    }
}

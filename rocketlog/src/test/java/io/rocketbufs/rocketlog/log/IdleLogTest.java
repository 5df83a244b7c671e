package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.memory.AllocatedBytes;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the cost of an idle log, measured in disk operations and allocated bytes instead of time. */
@Tag("once")
@Timeout(600)
final class IdleLogTest {
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS.withSegments(1 << 20, 0, 1 << 16);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int LOGS = 200;
    private static final int ROUNDS = 10_000;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final AtomicInteger changes = new AtomicInteger();

    private PartitionLog open() {
        return TestLogs.open("orders-0", disk, LogOptions.DEFAULTS, () -> {});
    }

    private static void round(Maintenance maintenance) {
        maintenance.flush();
        maintenance.seal();
        maintenance.allocate();
        maintenance.retain(System.currentTimeMillis());
    }

    @Test
    void shouldNeitherTouchTheDiskNorAllocateMemoryInAnIdleRound() {
        PartitionLog log = open();
        Maintenance maintenance = new Maintenance(log);
        log.append(Batches.of(1, 1, "value"));
        round(maintenance);
        disk.beforeChange(changes::incrementAndGet);
        assertThat(AllocatedBytes.perCall(20, ROUNDS, () -> round(maintenance))).isLessThan(1);
        assertThat(changes).hasValue(0);
    }

    @Test
    void shouldRestFromTheFlushToTheNextAppend() {
        PartitionLog log = open();
        Maintenance maintenance = new Maintenance(log);
        log.append(Batches.of(1, 1, "value"));
        maintenance.endRound();
        assertThat(maintenance.isAtRest()).isFalse();
        maintenance.flush();
        maintenance.endRound();
        assertThat(maintenance.isAtRest()).isTrue();
        log.append(Batches.of(1, 1, "value"));
        assertThat(maintenance.isAtRest()).isFalse();
    }

    @Test
    void shouldNotRestWhenTheLogRollsWithoutAnAppend(@TempDir Path folder) {
        try (LogDirectory directory = open(folder)) {
            PartitionLog log = directory.partition("orders-0");
            log.append(Batches.of(1, 1, "value"));
            Maintenance maintenance = new Maintenance(log);
            maintenance.flush();
            maintenance.endRound();
            assertThat(maintenance.isAtRest()).isTrue();
            SegmentLoan loan = log.lend();
            log.takeBack(loan, true);
            loan.close();
            assertThat(log.nextOffset()).isEqualTo(1);
            assertThat(maintenance.isAtRest()).isFalse();
        }
    }

    @Test
    void shouldNotRestWhileRetentionMayDeleteASegment() {
        PartitionLog log = TestLogs.open("orders-0", disk, OPTIONS.withSegments(4096, 0, 1024), () -> {});
        Maintenance maintenance = new Maintenance(log);
        while (log.segments().all().length == 1) {
            log.append(Batches.of(1, 1, "x".repeat(500)));
        }
        maintenance.flush();
        maintenance.seal();
        maintenance.endRound();
        assertThat(maintenance.durableOffset()).isEqualTo(log.nextOffset());
        assertThat(maintenance.isAtRest()).isFalse();
    }

    @Test
    void shouldForceTheDiskOnceToOpenALogThatWasClosed() {
        PartitionLog log = open();
        log.append(Batches.of(1, 1, "value"));
        new Maintenance(log).close();
        disk.beforeChange(changes::incrementAndGet);
        assertThat(open().nextOffset()).isEqualTo(1);
        assertThat(changes).hasValue(2); // deleting the seal, and forcing the deletion
    }

    private static List<String> names() {
        return IntStream.range(0, LOGS).mapToObj(i -> "orders-" + i).toList();
    }

    private static Map<String, LogOptions> logs() {
        return names().stream().collect(Collectors.toMap(name -> name, name -> OPTIONS));
    }

    private static LogDirectory open(Path folder) {
        return LogDirectory.open(folder, OPTIONS, (log, offset) -> {});
    }

    @Test
    void shouldUseLittleMemoryForEachLog(@TempDir Path folder) {
        try (LogDirectory directory = open(folder)) {
            directory.open(logs());
            names().forEach(name -> directory.partition(name).append(Batches.of(1, 1, "value")));
        }
        try (LogDirectory directory = open(folder)) {
            directory.partition("orders-0");
            long before = THREADS.getCurrentThreadAllocatedBytes();
            names().forEach(directory::partition);
            long allocated = (THREADS.getCurrentThreadAllocatedBytes() - before) / (LOGS - 1);
            System.out.println("bytes allocated to open a log: " + allocated);
            assertThat(allocated).isLessThan(64 << 10);
        }
    }

    @Test
    void shouldOpenTheOtherLogsWhenOneIsDamaged(@TempDir Path folder) throws IOException {
        try (LogDirectory directory = open(folder)) {
            directory.open(logs());
            assertThat(directory.partition("orders-3").append(Batches.of(1, 1, "value")))
                    .isZero();
        }
        Path damaged = folder.resolve("orders-7").resolve("00000000000000000000.seal");
        Files.write(damaged, new byte[60]);
        try (LogDirectory directory = open(folder)) {
            directory.open(logs());
            assertThat(directory.partition("orders-3").nextOffset()).isEqualTo(1);
            PartitionLog refused = directory.partition("orders-7");
            assertThat(refused.failure()).hasMessageContaining(damaged.toString());
            assertThat(refused.append(Batches.of(1, 1, "value"))).isEqualTo(PartitionLog.FAILED);
            assertThat(refused.startOffset() + refused.nextOffset() + refused.length() + refused.segmentCount())
                    .isZero();
            assertThat(directory.durableOffset(refused)).isZero();
            for (ThrowingCallable use : List.<ThrowingCallable>of(
                    () -> refused.read(0, ByteBuffer.allocate(100)),
                    () -> refused.view(5),
                    () -> refused.offsetOf(0),
                    refused::lend)) {
                assertThatThrownBy(use).isSameAs(refused.failure());
            }
            refused.delete();
            directory.remove(refused);
            assertThat(directory.durableOffset(refused)).isZero();
            assertThatExceptionOfType(LogException.class)
                    .as("without its files being repaired")
                    .isThrownBy(() -> directory.partition("orders-7"))
                    .withMessageContaining(damaged.toString());
        }
        assertThat(damaged).hasSize(60);
    }
}

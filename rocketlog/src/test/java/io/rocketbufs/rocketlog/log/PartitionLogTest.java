package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a log on a simulated disk: appending, reading, lookups, retention and disk failures. */
final class PartitionLogTest {
    private static final LogOptions OPTIONS =
            LogOptions.DEFAULTS.withSegments(2000, 0, 1000).withIndexInterval(200);

    private final SimulatedDisk disk = new SimulatedDisk();
    private PartitionLog log = open();
    private Maintenance maintenance = new Maintenance(log);

    private PartitionLog open() {
        return TestLogs.open("orders-0", disk, OPTIONS, () -> {});
    }

    private void reopen() {
        log = open();
        maintenance = new Maintenance(log);
    }

    private void appendMany(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(log.append(Batches.of(1000 + i * 10L, 2, "value"))).isEqualTo(2L * i);
        }
    }

    @Test
    void shouldReadFromAnyOffsetThroughAllSegments() {
        appendMany(100);
        maintenance.seal();
        assertThat(log.segments().all().length).isGreaterThan(4);
        ByteBuffer target = ByteBuffer.allocate(500);
        for (long offset = 0; offset < 200; offset++) {
            int length = log.read(offset, target.clear());
            assertThat(length).isEqualTo(target.position()).isPositive();
            assertThat(RecordBatchLayout.baseOffset(target, 0)).isEqualTo(offset / 2 * 2);
        }
        assertThat(log.read(200, target.clear())).isZero();
        assertThat(log.read(201, target.clear())).isEqualTo(PartitionLog.OUT_OF_RANGE);
        assertThat(log.read(-1, target.clear())).isEqualTo(PartitionLog.OUT_OF_RANGE);
    }

    @Test
    void shouldReturnTheLengthOfABatchThatDoesNotFit() {
        ByteBuffer batch = Batches.of(1, 1, "x".repeat(300));
        log.append(batch);
        ByteBuffer target = ByteBuffer.allocate(100);
        assertThat(log.read(0, target)).isEqualTo(-batch.limit());
        assertThat(target.position()).isZero();
    }

    @Test
    void shouldFindTheFirstBatchWithALaterTimestamp() {
        appendMany(100);
        maintenance.seal();
        for (int i = 0; i < 100; i++) {
            assertThat(log.offsetOf(1000 + i * 10L)).isEqualTo(2L * i);
            assertThat(log.offsetOf(1000 + i * 10L + 2)).isEqualTo(2L * i + 2);
        }
        assertThat(log.offsetOf(0)).isZero();
    }

    @Test
    void shouldContinueWithoutAScanAfterCleanClose() {
        appendMany(20);
        maintenance.close();
        assertThat(disk.names()).anyMatch(name -> name.endsWith(SegmentName.SEAL));
        reopen();
        assertThat(log.nextOffset()).isEqualTo(40);
        assertThat(log.append(Batches.of(5000, 1, "later"))).isEqualTo(40);
        assertThat(Batches.read(log)).hasSize(21);
        assertThat(log.offsetOf(4000)).isEqualTo(40);
    }

    @Test
    void shouldLeaveNoTraceOfARejectedBatch() {
        ByteBuffer batch = Batches.of(1, 1, "value");
        batch.put(batch.limit() - 2, (byte) 'x');
        assertThat(log.append(batch)).isEqualTo(PartitionLog.REJECTED);
        assertThat(log.verdict()).isEqualTo(BatchVerdict.BAD_CRC);
        assertThat(log.nextOffset()).isZero();
        assertThat(disk.bytes(SegmentName.of(0, SegmentName.LOG))).isEmpty();
    }

    @Test
    void shouldRecognizeRepeatedMissingAndFencedBatches() {
        for (int i = 0; i < 6; i++) {
            assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 2 * i))).isEqualTo(2L * i);
        }
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 10))).isEqualTo(PartitionLog.DUPLICATE);
        assertThat(log.duplicateOffset()).isEqualTo(10);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 2))).isEqualTo(PartitionLog.DUPLICATE);
        assertThat(log.duplicateOffset()).isEqualTo(2);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 14))).isEqualTo(PartitionLog.OUT_OF_ORDER);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 0, 12))).isEqualTo(PartitionLog.FENCED);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 2, 5))).isEqualTo(PartitionLog.OUT_OF_ORDER);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 2, 0))).isEqualTo(12);
        assertThat(log.nextOffset()).isEqualTo(14);
    }

    @Test
    void shouldRememberProducersAfterKillAndAfterCleanClose() {
        log.append(Batches.of(1, 2, "v", 9, 1, 0));
        reopen(); // scans the head, as after a kill
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 0))).isEqualTo(PartitionLog.DUPLICATE);
        maintenance.close();
        reopen(); // reads the seal
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 0))).isEqualTo(PartitionLog.DUPLICATE);
        assertThat(log.duplicateOffset()).isZero();
    }

    @Test
    void shouldRecognizeAllRepeatedBatchesOfManySegmentsAfterKillAndAfterCleanClose() {
        int count = 300;
        for (int i = 0; i < count; i++) {
            log.append(Batches.of(1, 2, "alone", 9, 1, 2 * i));
        }
        for (int i = 0; i < count; i++) {
            log.append(Batches.of(1, 1, "one of two", 10, 0, i));
            log.append(Batches.of(1, 1, "other", 11, 0, i));
        }
        maintenance.seal();
        assertThat(log.segments().all().length).isGreaterThan(20);
        reopen(); // reads the last seal, and scans the head, as after a kill
        assertAllAreRepeated(count);
        maintenance.close();
        reopen(); // reads the seal of the head
        assertAllAreRepeated(count);
    }

    private void assertAllAreRepeated(int count) {
        long next = log.nextOffset();
        for (int i = 0; i < count; i++) {
            assertThat(log.append(Batches.of(1, 2, "alone", 9, 1, 2 * i))).isEqualTo(PartitionLog.DUPLICATE);
            assertThat(log.duplicateOffset()).isEqualTo(2 * i);
            assertThat(log.append(Batches.of(1, 1, "one of two", 10, 0, i))).isEqualTo(PartitionLog.DUPLICATE);
            assertThat(log.duplicateOffset()).isEqualTo(i < count - 4 ? -1 : 2 * count + 2 * i);
        }
        assertThat(log.append(Batches.of(1, 1, "missing before", 10, 0, count + 1)))
                .isEqualTo(PartitionLog.OUT_OF_ORDER);
        assertThat(log.nextOffset()).isEqualTo(next);
    }

    @Test
    void shouldWrapASequenceAroundAfterItsGreatestNumber() {
        log.append(Batches.of(1, 2, "v", 9, 0, Integer.MAX_VALUE - 1));
        assertThat(log.append(Batches.of(1, 1, "v", 9, 0, 0))).isEqualTo(2);
    }

    @Test
    void shouldForgetProducersWhoseRecordsHaveBeenDeleted() {
        log.append(Batches.of(1, 2, "v", 9, 1, 0));
        log.append(Batches.of(1, 2, "v", 9, 1, 2));
        for (int i = 0; i < 50; i++) {
            log.append(Batches.of(1, 2, "value"));
        }
        maintenance.seal();
        maintenance.retain(Long.MAX_VALUE);
        assertThat(log.startOffset()).isPositive();
        assertThat(log.producers().count()).isEqualTo(1);
        Segment head = log.segments().head();
        while (log.segments().head() == head) {
            log.append(Batches.of(1, 2, "value"));
        }
        assertThat(log.producers().count()).isZero();
    }

    @Test
    void shouldAcceptNothingAfterAFlushHasFailed() {
        log.append(Batches.of(1, 1, "first"));
        maintenance.flush();
        assertThat(maintenance.durableOffset()).isEqualTo(1);
        log.append(Batches.of(1, 1, "second"));
        disk.failForces(1);
        maintenance.flush();
        assertThat(maintenance.durableOffset()).isEqualTo(1);
        assertThat(log.append(Batches.of(1, 1, "third"))).isEqualTo(PartitionLog.FAILED);
        assertThat(log.failure())
                .hasMessageContaining("flush")
                .hasMessageContaining(SegmentName.of(0, SegmentName.LOG))
                .hasMessageContaining("check the disk");
        assertThat(Batches.read(log)).hasSize(2);
    }

    @Test
    void shouldAcceptNothingAfterASegmentCouldNotBeForcedBeforeItsSeal() {
        Segment head = log.segments().head();
        while (log.segments().head() == head) {
            log.append(Batches.of(1, 2, "value"));
        }
        disk.failForces(1, "No space left on device");
        maintenance.seal();
        assertThat(log.append(Batches.of(1, 1, "value"))).isEqualTo(PartitionLog.FAILED);
        assertThat(log.failure())
                .hasMessageContaining("seal")
                .hasMessageContaining("No space left on device; check the disk");
    }

    @Test
    void shouldForceEverythingWhenItIsClosedOnAFullDisk() {
        Segment head = log.segments().head();
        while (log.segments().head() == head) {
            log.append(Batches.of(1, 2, "value"));
        }
        long next = log.nextOffset();
        disk.free(0);
        assertThatThrownBy(maintenance::close)
                .isInstanceOfSatisfying(
                        LogException.class, e -> assertThat(e.code()).isEqualTo(LogException.Code.FULL));
        assertThat(maintenance.durableOffset()).isEqualTo(next);
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDisk crashed = disk.afterCrash(new Random(seed));
            assertThat(TestLogs.open("orders-0", crashed, OPTIONS, () -> {}).nextOffset())
                    .isEqualTo(next);
        }
    }

    @Test
    void shouldRefuseWhileTheDiskIsFullAndContinueWhenItIsNot() {
        appendMany(5);
        disk.free(30);
        assertThat(log.append(Batches.of(1, 1, "value"))).isEqualTo(PartitionLog.STORAGE_FULL);
        assertThat(Batches.read(log)).hasSize(5);
        disk.free(1 << 20);
        assertThat(log.append(Batches.of(1, 1, "value"))).isEqualTo(10);
        reopen();
        assertThat(Batches.read(log)).hasSize(6);
    }

    @Test
    void shouldDeleteTheOldestSegmentsByLengthAndByTime() {
        PartitionLog kept = TestLogs.open("orders-1", disk, OPTIONS.withRetention(Duration.ofMillis(500), 0), () -> {});
        Maintenance work = new Maintenance(kept);
        for (int i = 0; i < 100; i++) {
            kept.append(Batches.of(1000 + i * 10L, 2, "value"));
        }
        work.seal();
        work.retain(1000 + 990 + 1);
        assertThat(kept.startOffset()).isBetween(70L, 100L);
        assertThat(kept.read(0, ByteBuffer.allocate(100))).isEqualTo(PartitionLog.OUT_OF_RANGE);
        assertThat(disk.names()).noneMatch(name -> name.startsWith("0000000000000000000" + "0"));
        work.retain(Long.MAX_VALUE);
        assertThat(kept.startOffset())
                .as("only the head is left")
                .isEqualTo(kept.segments().head().baseOffset());
    }

    @Test
    void shouldRefuseDamagedSealedSegmentsAndDeleteNothing() throws Exception {
        appendMany(100);
        maintenance.close();
        String second = SegmentName.of(log.segments().all()[1].baseOffset(), SegmentName.LOG);
        byte[] bytes = disk.bytes(second);
        disk.set(second, Arrays.copyOf(bytes, bytes.length - 1));
        int before = disk.names().size();
        assertThatThrownBy(this::open)
                .isInstanceOf(LogException.class)
                .hasMessageContaining(second)
                .hasMessageContaining("rocketlog verify");
        disk.delete(second);
        assertThatThrownBy(this::open).isInstanceOf(LogException.class).hasMessageContaining("the file is missing");
        assertThat(disk.names()).hasSize(before - 1);
    }

    @Test
    void shouldKeepASegmentThatCannotBeDeleted() {
        PartitionLog kept = TestLogs.open("orders-1", disk, OPTIONS.withRetention(Duration.ofMillis(1), 0), () -> {});
        Maintenance work = new Maintenance(kept);
        for (int i = 0; i < 100; i++) {
            kept.append(Batches.of(1000 + i * 10L, 2, "value"));
        }
        work.seal();
        disk.failDeletes(true);
        work.retain(Long.MAX_VALUE);
        assertThat(kept.startOffset()).isZero();
        assertThat(kept.read(0, ByteBuffer.allocate(500))).isPositive();
        disk.failDeletes(false);
        work.retain(Long.MAX_VALUE);
        assertThat(kept.startOffset()).isPositive();
        assertThat(TestLogs.open("orders-1", disk, OPTIONS, () -> {}).startOffset())
                .isEqualTo(kept.startOffset());
    }

    @Test
    void shouldFailWhenAppendingHasThrown() {
        log.append(Batches.of(1, 1, "first"));
        disk.beforeChange(() -> {
            throw new IllegalStateException("a fault of the program");
        });
        ByteBuffer batch = Batches.of(1, 1, "second");
        assertThatThrownBy(() -> log.append(batch)).isInstanceOf(IllegalStateException.class);
        disk.beforeChange(() -> {});
        assertThat(log.append(batch)).isEqualTo(PartitionLog.FAILED);
        assertThat(log.failure()).hasMessageContaining("a fault of the program");
    }

    @Test
    void shouldNotReportRecordsAsDurableThatAnotherThreadFailedToForce() {
        log.append(Batches.of(1, 1, "first"));
        // While maintenance flushes, the appending thread receives the disk's only report of the failure.
        disk.beforeChange(
                () -> log.fail(new LogException(LogException.Code.IO, "failed meanwhile", "try again", null)));
        maintenance.flush();
        disk.beforeChange(() -> {});
        assertThat(maintenance.durableOffset()).isZero();
    }

    @Test
    void shouldContinueWhenTheNextSegmentCouldNotBeCreated() {
        while (log.segments().hasRoom(100, 1)) {
            log.append(Batches.of(1, 1, ""));
        }
        ByteBuffer large = Batches.of(1, 1, "x".repeat(300));
        disk.free(0);
        assertThat(log.append(large)).isEqualTo(PartitionLog.STORAGE_FULL);
        disk.free(1 << 20);
        long next = log.nextOffset();
        assertThat(log.append(large)).isEqualTo(next);
        maintenance.close();
        reopen();
        assertThat(log.nextOffset()).isEqualTo(next + 1);
    }

    @Test
    void shouldContinueAfterALackOfDescriptors() {
        while (log.segments().hasRoom(300, 1)) {
            log.append(Batches.of(1, 1, ""));
        }
        ByteBuffer large = Batches.of(1, 1, "x".repeat(300));
        disk.failOpening(true);
        assertThat(log.append(large)).isEqualTo(PartitionLog.STORAGE_FULL);
        maintenance.flush();
        assertThat(maintenance.durableOffset())
                .as("the name of the head is not forced")
                .isZero();
        assertThat(maintenance.mustFlush()).isTrue();
        disk.failOpening(false);
        long next = log.nextOffset();
        assertThat(log.append(large)).isEqualTo(next);

        disk.failOpening(true);
        maintenance.seal();
        assertThat(log.failure()).isNull();
        disk.failOpening(false);
        maintenance.seal();
        maintenance.flush();
        assertThat(log.segments().oldestRolled()).isNull();
        assertThat(maintenance.durableOffset()).isEqualTo(next + 1);
        assertThat(maintenance.mustFlush()).isFalse();
    }

    @Test
    void shouldNameTheLimitWhenTheProcessHasNoFreeDescriptor() {
        disk.failOpening(true);
        assertThatThrownBy(this::open).hasMessageContaining("Too many open files; raise the limit on open files");
    }

    @Test
    void shouldForgetTheOldestProducersBeyondALimit() {
        ProducerStates states = new ProducerStates();
        for (int i = 0; i <= ProducerStates.LIMIT; i++) {
            ByteBuffer batch = Batches.of(1, 1, "", i, 0, 0);
            RecordBatchLayout.assign(batch, 0, i, 0);
            states.add(batch, 0);
        }
        assertThat(states.count()).isBetween(ProducerStates.LIMIT / 2, ProducerStates.LIMIT / 2 + 2);
        assertThat(states.check(Batches.of(1, 1, "", ProducerStates.LIMIT, 0, 0), 0))
                .isEqualTo(ProducerStates.LIMIT);
        assertThat(states.check(Batches.of(1, 1, "", 0, 0, 0), 0)).isEqualTo(ProducerStates.NEXT);
    }

    @Test
    void shouldRefuseALittleEndianTarget() {
        ByteBuffer target = ByteBuffer.allocate(500).order(ByteOrder.LITTLE_ENDIAN);
        assertThatThrownBy(() -> log.read(0, target)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRebuildAnIndexThatDoesNotMatchItsSeal() {
        appendMany(100);
        maintenance.close();
        String index = SegmentName.of(0, SegmentName.INDEX);
        byte[] bytes = disk.bytes(index).clone();
        bytes[bytes.length - 1] ^= 64;
        disk.set(index, bytes);
        reopen();
        assertThat(Batches.read(log)).hasSize(100);
        for (long offset = 0; offset < 200; offset += 2) {
            assertThat(log.read(offset, ByteBuffer.allocate(500))).isPositive();
        }
    }

    @Test
    void shouldRefuseASealOfANewerVersion() {
        appendMany(1);
        maintenance.close();
        String seal = SegmentName.of(0, SegmentName.SEAL);
        byte[] bytes = disk.bytes(seal).clone();
        bytes[7] = 2;
        ByteBuffer newer = ByteBuffer.wrap(bytes);
        newer.putInt(bytes.length - 4, Seal.crc(newer, bytes.length - 4));
        disk.set(seal, bytes);
        assertThatThrownBy(this::open)
                .hasMessageContaining(seal)
                .hasMessageContaining("version 2")
                .hasMessageContaining("newer rocketlog");
    }

    @Test
    void shouldAllocateNothingWhenItAppendsToADisk(@TempDir Path folder) throws Exception {
        PartitionLog onDisk = TestLogs.open("orders-0", DiskFolder.writable(folder), LogOptions.DEFAULTS, () -> {});
        ByteBuffer source = Batches.of(1, 4, "value");
        ByteBuffer direct =
                ByteBuffer.allocateDirect(source.limit()).put(source).flip();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 3000;
        for (int i = 0; i < count; i++) {
            onDisk.append(direct);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < count; i++) {
            onDisk.append(direct);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(onDisk.nextOffset()).isEqualTo(2L * count * 4);
        // The arrays of the index are doubled at most a few times in this range.
        assertThat(allocated / count).as("bytes per batch").isLessThan(4);
    }
}

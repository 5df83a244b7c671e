package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.management.ThreadMXBean;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Tests that a log with damage that no crash can cause is refused and left unchanged, and that a log recovers after a
 * disk failure.
 */
@Tag("once")
final class RecoveryTest {
    private static final LogOptions OPTIONS =
            LogOptions.DEFAULTS.withSegments(2000, 0, 1000).withIndexInterval(200);

    private final SimulatedDisk disk = new SimulatedDisk();

    private PartitionLog open() {
        return TestLogs.open("orders-0", disk, OPTIONS, () -> {});
    }

    /** Fills several segments, closes the log, and returns the base offsets of its segments. */
    private List<Long> fillAndClose() {
        PartitionLog log = open();
        for (int i = 0; i < 100; i++) {
            log.append(Batches.of(1000 + i, 2, "value"));
        }
        List<Long> baseOffsets = new ArrayList<>();
        for (Segment segment : log.segments().all()) {
            baseOffsets.add(segment.baseOffset());
        }
        new Maintenance(log).close();
        assertThat(baseOffsets).hasSizeGreaterThan(3);
        return baseOffsets;
    }

    private void assertRefused(String... messages) {
        Map<String, byte[]> before = content();
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(this::open)
                .satisfies(e -> assertThat(e.code()).isEqualTo(LogException.Code.DAMAGED))
                .satisfies(e -> assertThat(e.getMessage()).contains(messages));
        assertThat(content()).as("after the refusal").isEqualTo(before);
    }

    private Map<String, byte[]> content() {
        Map<String, byte[]> content = new TreeMap<>();
        disk.names().forEach(name -> content.put(name, disk.bytes(name)));
        return content;
    }

    @Test
    void shouldRefuseALogWhoseLastSegmentIsLost() throws Exception {
        List<Long> baseOffsets = fillAndClose();
        String last = SegmentName.of(baseOffsets.get(baseOffsets.size() - 1), SegmentName.LOG);
        disk.delete(last);
        assertRefused(last, "the file is missing, but the segment was complete");
    }

    @Test
    void shouldRefuseALogWhoseSegmentsAreAllLost() throws Exception {
        for (long baseOffset : fillAndClose()) {
            disk.delete(SegmentName.of(baseOffset, SegmentName.LOG));
        }
        assertRefused(SegmentName.of(0, SegmentName.LOG), "the file is missing");
    }

    @Test
    void shouldDeleteASealThatRetentionLeftBehind() throws Exception {
        fillAndClose();
        disk.delete(SegmentName.of(0, SegmentName.LOG));
        PartitionLog log = open();
        assertThat(log.startOffset()).isPositive();
        assertThat(disk.names()).doesNotContain(SegmentName.of(0, SegmentName.SEAL));
    }

    @Test
    void shouldRefuseADamagedSeal() {
        List<Long> baseOffsets = fillAndClose();
        String seal = SegmentName.of(baseOffsets.get(baseOffsets.size() - 1), SegmentName.SEAL);
        byte[] bytes = disk.bytes(seal).clone();
        bytes[20] ^= 1;
        disk.set(seal, bytes);
        assertRefused(seal, "the CRC-32C or the content of the seal is wrong");
        disk.set(seal, new byte[0]);
        assertRefused(seal);
        disk.set(seal, disk.bytes(SegmentName.of(0, SegmentName.SEAL)));
        assertRefused(seal, "the seal belongs to the segment 0");
    }

    @Test
    void shouldRefuseASealWithImpossibleProducers() {
        PartitionLog log = open();
        log.append(Batches.of(1, 1, "value", 9, 0, 0));
        new Maintenance(log).close();
        String seal = SegmentName.of(0, SegmentName.SEAL);
        for (int batches : new int[] {0, 6, -1}) {
            byte[] bytes = disk.bytes(seal).clone();
            ByteBuffer forged = ByteBuffer.wrap(bytes).putShort(52 + 10, (short) batches);
            forged.putInt(bytes.length - 4, Seal.crc(forged, bytes.length - 4));
            disk.set(seal, bytes);
            assertRefused(seal);
        }
    }

    @Test
    void shouldCutNothingBeforeACompleteSegment() throws Exception {
        List<Long> baseOffsets = fillAndClose();
        String second = SegmentName.of(baseOffsets.get(1), SegmentName.LOG);
        disk.delete(SegmentName.of(baseOffsets.get(1), SegmentName.SEAL));
        assertThat(open().nextOffset()).as("a lost seal is harmless").isEqualTo(200);

        byte[] bytes = disk.bytes(second).clone();
        bytes[bytes.length / 2] ^= 1;
        disk.set(second, bytes);
        disk.delete(SegmentName.of(baseOffsets.get(1), SegmentName.SEAL));
        assertRefused(second, "a later segment was complete");
    }

    @Test
    void shouldRemoveAnEmptyFileWhoseCreationHadFailed() throws Exception {
        PartitionLog log = open();
        for (int i = 0; i < 5; i++) {
            log.append(Batches.of(1, 2, "value"));
        }
        disk.create(SegmentName.of(4, SegmentName.LOG));
        assertThat(open().nextOffset()).isEqualTo(10);
        assertThat(disk.names()).doesNotContain(SegmentName.of(4, SegmentName.LOG));
    }

    @Test
    void shouldStoreDataThatAFailedForceLost() {
        PartitionLog log = open();
        Maintenance maintenance = new Maintenance(log);
        log.append(Batches.of(1, 1, "first"));
        maintenance.flush();
        log.append(Batches.of(1, 1, "second"));
        disk.failForces(1);
        maintenance.flush();
        assertThat(maintenance.durableOffset()).isEqualTo(1);
        maintenance.close();

        PartitionLog again = open();
        assertThat(again.nextOffset()).as("the page cache still has it").isEqualTo(2);
        new Maintenance(again).flush();
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDisk crashed = disk.afterCrash(new Random(seed));
            assertThat(TestLogs.open("orders-0", crashed, OPTIONS, () -> {}).nextOffset())
                    .isEqualTo(2);
        }
    }

    @Test
    void shouldNotBelieveALengthThatWasFlipped(@TempDir Path folder) throws Exception {
        LogOptions options = LogOptions.DEFAULTS.withSegments(64 << 20, 32 << 20, 1 << 20);
        PartitionLog log = TestLogs.open("orders-0", DiskFolder.writable(folder), options, () -> {});
        ByteBuffer batch = Batches.of(1, 1, "value");
        int length = batch.limit();
        log.append(batch);
        log.append(Batches.of(1, 1, "value"));
        Path file = folder.resolve(SegmentName.of(0, SegmentName.LOG));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(4).putInt(0, 30 << 20), length + 8);
            channel.write(ByteBuffer.allocate(1), (32 << 20) - 1);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        PartitionLog again = TestLogs.open("orders-0", DiskFolder.writable(folder), options, () -> {});
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(8 << 20);
        assertThat(again.nextOffset()).isEqualTo(1);
    }

    @Test
    void shouldScanABatchThatIsLongerThanTheWindow() throws Exception {
        PartitionLog log = TestLogs.open("orders-0", disk, LogOptions.DEFAULTS, () -> {});
        ByteBuffer large = Batches.of(1, 3, "x".repeat(100_000));
        log.append(large.duplicate());
        log.append(large.duplicate());
        PartitionLog again = TestLogs.open("orders-0", disk.afterKill(), LogOptions.DEFAULTS, () -> {});
        assertThat(again.nextOffset()).isEqualTo(6);
        String name = SegmentName.of(0, SegmentName.LOG);
        byte[] bytes = disk.bytes(name).clone();
        bytes[2 * large.limit() - 1] ^= 1;
        disk.set(name, bytes);
        assertThat(TestLogs.open("orders-0", disk, LogOptions.DEFAULTS, () -> {})
                        .nextOffset())
                .isEqualTo(3);
    }

    @Test
    void shouldReadOnlyBatchesThatContainTheOffset() {
        PartitionLog log = open();
        log.append(Batches.of(1, 2, "value"));
        log.append(Batches.of(1, 2, "value"));
        String name = SegmentName.of(0, SegmentName.LOG);
        ByteBuffer changed = ByteBuffer.wrap(disk.bytes(name));
        RecordBatchLayout.assign(changed, 0, 3, 0);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(() -> log.read(0, ByteBuffer.allocate(500)))
                .withMessageContaining("begins after offset 0");
    }

    /** Runs an action with the progress of three logs, and returns the lines that it logs. */
    private static List<String> progressLoggedBy(Consumer<RecoveryProgress> action, AtomicLong nowMs, long stepMs) {
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(RecoveryProgress.class);
        logged.start();
        logger.addAppender(logged);
        try {
            action.accept(new RecoveryProgress(3, () -> TimeUnit.MILLISECONDS.toNanos(nowMs.getAndAdd(stepMs))));
        } finally {
            logger.detachAppender(logged);
        }
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void shouldLogTheProgressAtMostOncePerSecondDuringRecovery() {
        LogOptions options = OPTIONS.withSegments(2_500_000, 0, 1_500_000);
        PartitionLog log = TestLogs.open("orders-0", disk, options, () -> {});
        for (int i = 0; i < 3; i++) {
            log.append(Batches.of(1, 1, "x".repeat(1_100_000)));
        }
        AtomicLong nowMs = new AtomicLong();
        List<String> lines = progressLoggedBy(
                progress -> PartitionLog.open("orders-0", disk.afterKill(), options, () -> {}, progress), nowMs, 400);
        assertThat(lines)
                .startsWith("Recovering orders-0: 1 of 2 segments (2 of 3 MB) checked, 0 (0 MB) rewritten;"
                        + " 0 of 3 logs done")
                .endsWith("Recovering orders-0: 2 of 2 segments (3 of 3 MB) checked, 2 (3 MB) rewritten;"
                        + " 0 of 3 logs done");
        assertThat(nowMs.get()).isGreaterThanOrEqualTo(1000L * lines.size());
        assertThat(progressLoggedBy(
                        progress -> PartitionLog.open("orders-0", disk.afterKill(), options, () -> {}, progress),
                        nowMs,
                        0))
                .as("without a second passing")
                .isEmpty();
    }

    @Test
    void shouldLogNoProgressOfALogThatWasClosedOrIsRefused() throws Exception {
        List<Long> baseOffsets = fillAndClose();
        AtomicLong nowMs = new AtomicLong();
        assertThat(progressLoggedBy(
                        progress -> {
                            PartitionLog.open("orders-0", disk, OPTIONS, () -> {}, progress);
                            nowMs.addAndGet(5000);
                            progress.tick();
                        },
                        nowMs,
                        0))
                .isEmpty();

        String second = SegmentName.of(baseOffsets.get(1), SegmentName.LOG);
        byte[] bytes = disk.bytes(second).clone();
        bytes[bytes.length / 2] ^= 1;
        disk.set(second, bytes);
        disk.delete(SegmentName.of(baseOffsets.get(1), SegmentName.SEAL));
        assertThat(progressLoggedBy(
                        progress -> {
                            assertThatExceptionOfType(LogException.class)
                                    .isThrownBy(() -> PartitionLog.open("orders-0", disk, OPTIONS, () -> {}, progress));
                            nowMs.addAndGet(5000);
                            progress.tick();
                        },
                        nowMs,
                        0))
                .isEmpty();
    }

    @Test
    void shouldReleaseAllFilesWhenRefused(@TempDir Path folder) throws IOException {
        LogFolder onDisk = DiskFolder.writable(folder);
        PartitionLog log = TestLogs.open("orders-0", onDisk, OPTIONS, () -> {});
        for (int i = 0; i < 100; i++) {
            log.append(Batches.of(1000 + i, 2, "value"));
        }
        Segment last = log.segments().head();
        new Maintenance(log).close();
        onDisk.delete(SegmentName.of(last.baseOffset(), SegmentName.LOG));
        onDisk.delete(SegmentName.of(last.baseOffset(), SegmentName.SEAL));
        long second = log.segments().all()[1].baseOffset();
        onDisk.delete(SegmentName.of(second, SegmentName.LOG));
        onDisk.delete(SegmentName.of(second, SegmentName.SEAL));
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(() -> TestLogs.open("orders-0", onDisk, OPTIONS, () -> {}))
                .withMessageContaining("the previous segment ends at offset " + second);
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(descriptors.filter(each -> refersTo(each, folder))).isEmpty();
        }
    }

    private static boolean refersTo(Path descriptor, Path folder) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(folder);
        } catch (IOException e) {
            return false; // another thread has closed it in the meantime
        }
    }
}

package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.memory.AllocatedBytes;
import io.rocketbufs.rocketlog.record.BatchCheck;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketlog.record.RingLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of in-memory logs, whose segments are reused. */
@Timeout(600)
final class MemoryLogTest {
    private static final int SEGMENT = 4096;
    private static final long CAPACITY = RingLayout.SEGMENTS * SEGMENT;
    private static final long FIRST = 1000;
    private static final LogOptions OPTIONS =
            LogOptions.DEFAULTS.withSegments(1 << 20, 0, 2000).withIndexInterval(200);

    private final MemoryLogs logs = new MemoryLogs(OPTIONS);
    private final PartitionLog log = logs.create("orders-0", CAPACITY, FIRST);

    @AfterEach
    void close() {
        logs.close();
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            long next = log.nextOffset();
            assertThat(log.append(Batches.of(next, 2, "value of a record"))).isEqualTo(next);
        }
    }

    private static boolean isMapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains("rocketlog-ring");
    }

    @Test
    void shouldKeepTheNewestRecordsWhenTheRingWrapsAround() {
        for (int round = 0; round < 200; round++) {
            append(11);
            assertThat(log.nextOffset()).isEqualTo(FIRST + (round + 1) * 22L);
            assertThat(Batches.read(log)).hasSize((int) (log.nextOffset() - log.startOffset()) / 2);
        }
        int kept = Batches.read(log).size() * Batches.read(log).get(0).capacity();
        assertThat(kept).isBetween((int) (CAPACITY * 3 / 4), (int) CAPACITY);
        ByteBuffer target = ByteBuffer.allocate(1000);
        assertThat(log.read(log.startOffset() - 1, target)).isEqualTo(PartitionLog.OUT_OF_RANGE);
        assertThat(log.read(log.nextOffset(), target)).isZero();
        assertThat(log.offsetOf(0)).isEqualTo(log.startOffset());
        assertThat(log.offsetOf(log.nextOffset() - 3)).isEqualTo(log.nextOffset() - 4);
    }

    @Test
    void shouldAcceptABatchOfTheWholeSegmentAndNoLongerOne() {
        try (MemoryLogs others = new MemoryLogs(OPTIONS.withSegments(1 << 20, 0, SEGMENT))) {
            appendWholeSegments(others.create("prices-0", CAPACITY, 0));
        }
    }

    private static void appendWholeSegments(PartitionLog large) {
        int overhead = Batches.of(1, 1, "").limit();
        for (int i = 0; i < 20; i++) {
            ByteBuffer whole = Batches.of(1, 1, "v".repeat(SEGMENT - overhead - 2));
            assertThat(whole.limit()).isEqualTo(SEGMENT);
            assertThat(large.append(whole)).isEqualTo(i);
        }
        assertThat(large.append(Batches.of(1, 1, "v".repeat(SEGMENT - overhead - 1))))
                .isEqualTo(PartitionLog.REJECTED);
        assertThat(large.startOffset()).isEqualTo(12);
    }

    @Test
    void shouldPublishReadableBatchesInTheWords() {
        append(1000);
        try (SegmentView view = log.view(log.nextOffset())) {
            ByteBuffer words = view.region().window(0, RingLayout.WORDS_LENGTH);
            int segments = 0;
            for (int i = 0; i < RingLayout.SEGMENTS; i++) {
                ByteBuffer segment = view.region().window(RingLayout.segment(i, SEGMENT), SEGMENT);
                int end = (int) RingLayout.end(words, i);
                assertThat(RecordBatchLayout.baseOffset(segment, 0)).isEqualTo(RingLayout.baseOffset(words, i));
                while (end < SEGMENT) {
                    assertThat(segment.get(end++)).isZero(); // even if it previously contained other batches
                }
                segments += RingLayout.baseOffset(words, i) >= log.startOffset() ? 1 : 0;
            }
            assertThat(segments).isEqualTo(RingLayout.SEGMENTS);
            assertThat(view.baseOffset()).isEqualTo(log.segments().head().baseOffset());
            assertThat(view.position()).isEqualTo(log.segments().head().end());
        }
        assertThat(log.ringSegmentLength()).isEqualTo(SEGMENT);
        assertThat(log.firstOffset()).isEqualTo(FIRST);
    }

    @Test
    void shouldRecognizeABatchWhoseRecordsHaveBeenOverwritten() {
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 0))).isEqualTo(FIRST);
        append(1000);
        assertThat(log.startOffset()).isGreaterThan(FIRST);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 0))).isEqualTo(PartitionLog.DUPLICATE);
        assertThat(log.duplicateOffset()).isEqualTo(FIRST);
        assertThat(log.append(Batches.of(1, 2, "v", 9, 1, 2))).isNotNegative();
    }

    @Test
    void shouldLeaveNoTraceOfARejectedBatch() {
        ByteBuffer batch = Batches.of(1, 1, "value");
        batch.put(batch.limit() - 2, (byte) 'x');
        assertThat(log.append(batch)).isEqualTo(PartitionLog.REJECTED);
        assertThat(log.verdict()).isEqualTo(BatchVerdict.BAD_CRC);
        assertThat(log.nextOffset()).isEqualTo(FIRST);
    }

    @Test
    void shouldReturnOnlyWholeBatchesToReadersThatAreOvertaken() throws Exception {
        append(500);
        AtomicBoolean isStopped = new AtomicBoolean();
        CompletableFuture<Long> reading = CompletableFuture.supplyAsync(() -> {
            ByteBuffer target = ByteBuffer.allocate(1000);
            BatchCheck check = new BatchCheck(2000);
            long read = 0;
            while (!isStopped.get()) {
                long oldest = log.startOffset(); // the next segment to be overwritten
                int length = log.read(oldest, target.clear());
                if (length > 0) {
                    assertThat(RecordBatchLayout.baseOffset(target, 0)).isEqualTo(oldest);
                    assertThat(check.checkStored(target.flip())).isEqualTo(BatchVerdict.VALID);
                    read++;
                }
                long found = log.offsetOf(oldest);
                assertThat(found).isBetween(oldest, log.nextOffset());
                try (SegmentView view = log.view(oldest + 3)) {
                    assertThat(view.offset()).isGreaterThanOrEqualTo(oldest + 3);
                }
            }
            return read;
        });
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
        while (System.nanoTime() < endNs && !reading.isDone()) {
            append(20);
        }
        isStopped.set(true);
        assertThat(reading.get(30, TimeUnit.SECONDS)).isPositive();
    }

    @Test
    void shouldKeepItsMemoryUntilTheLastViewIsClosed() throws Exception {
        append(3);
        SegmentView view = log.view(FIRST);
        logs.close();
        assertThat(log.append(Batches.of(1, 1, "v"))).isEqualTo(PartitionLog.FAILED);
        ByteBuffer segment = view.region().window(RingLayout.segment(0, SEGMENT), SEGMENT);
        assertThat(RecordBatchLayout.baseOffset(segment, 0)).isEqualTo(FIRST);
        assertThat(isMapped()).isTrue();
        view.close();
        assertThatThrownBy(() -> log.view(FIRST))
                .isInstanceOf(LogException.class)
                .hasMessageContaining("closed");
        await().until(() -> !isMapped());
        logs.close();
    }

    @Test
    void shouldKeepItsMemoryWhileAThreadThatLooksUpATimeHoldsASegment() throws Exception {
        append(3);
        Segment held = log.segments().first();
        assertThat(held.acquire()).isTrue();
        logs.remove(log);
        ByteBuffer header = ByteBuffer.allocate(RecordBatchLayout.HEADER_LENGTH);
        assertThat(held.file().read(header, 0)).isEqualTo(header.capacity());
        assertThat(RecordBatchLayout.baseOffset(header, 0)).isEqualTo(FIRST);
        assertThat(isMapped()).isTrue();
        held.release();
        await().until(() -> !isMapped());
    }

    @Test
    void shouldNotLetPeersWriteToMemoryThatIsReused() {
        assertThatThrownBy(log::lend)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("this memory is reused while producers could still write to it");
        append(1);
    }

    @Test
    void shouldRoundCapacitiesUpAndRejectImpossibleOnes() {
        assertThat(logs.capacity(CAPACITY)).isEqualTo(CAPACITY);
        assertThat(logs.capacity(CAPACITY + 1)).isEqualTo(2 * CAPACITY);
        assertThat(logs.capacity(MemoryLogs.LARGEST_CAPACITY)).isEqualTo(MemoryLogs.LARGEST_CAPACITY);
        for (long wrong :
                new long[] {Long.MIN_VALUE, -1, 0, 8 * 2000 - 1, MemoryLogs.LARGEST_CAPACITY + 1, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> logs.capacity(wrong))
                    .withMessage("capacity=" + wrong + " bytes must be from 16000 (8 times the longest batch) to "
                            + MemoryLogs.LARGEST_CAPACITY);
        }
    }

    @Test
    void shouldAllocateNothingExceptWhenASegmentEnds() {
        PartitionLog large = logs.create("large-0", 64 << 20, 0);
        ByteBuffer batch = Batches.of(1, 2, "value of a record");
        assertThat(AllocatedBytes.perCall(20, 2000, () -> large.append(batch))).isLessThan(1);
    }
}

package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of segments that are read as memory, on a real file system. */
@Timeout(600)
final class SegmentViewTest {
    private static final LogOptions OPTIONS = LogDirectoryTest.OPTIONS;
    private static final LogListener NO_LISTENER = (log, offset) -> {};

    @TempDir
    Path folder;

    private static long append(PartitionLog log) {
        return log.append(Batches.of(1, 1, "v".repeat(1000)));
    }

    /** Appends until there is a new head. The old head then ends with pages that contain no batches. */
    private static void roll(PartitionLog log) {
        Segment head = log.segments().head();
        while (log.segments().head() == head) {
            log.append(Batches.of(1, 1, "v".repeat(20_000)));
        }
    }

    private static void awaitSealed(PartitionLog log, LogDirectory directory) {
        await().until(() -> {
            directory.requestFlush();
            return log.segments().oldestRolled() == null;
        });
    }

    private static ByteBuffer bytes(SegmentView view) {
        return view.region().window(0, (int) view.region().length());
    }

    private boolean isMapped() throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(folder.toString());
    }

    @Test
    void shouldShowBatchesThatAreAppendedAfterItWasOpened() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            try (SegmentView view = log.view(0)) {
                assertThat(view.end()).isZero();
                assertThat(view.isEnded()).isFalse();
                append(log);
                long second = view.end();
                append(log);
                assertThat(view.end()).isEqualTo(2 * second);
                assertThat(RecordBatchLayout.baseOffset(bytes(view), (int) second))
                        .isEqualTo(1);
                assertThat(view.region().writable()).isFalse();
            }
        }
    }

    @Test
    void shouldBeginAtTheBatchWithTheOffset() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            for (int i = 0; i < 20; i++) {
                log.append(Batches.of(1, 10, "value"));
            }
            try (SegmentView view = log.view(57);
                    SegmentView atEnd = log.view(200)) {
                assertThat(RecordBatchLayout.baseOffset(bytes(view), (int) view.position()))
                        .isEqualTo(50);
                assertThat(view.offset()).isEqualTo(57);
                assertThat(atEnd.position()).isEqualTo(atEnd.end());
                assertThat(view.endBefore(57)).isEqualTo(view.position());
                assertThat(view.endBefore(60)).isGreaterThan(view.position());
                assertThat(view.endBefore(200)).isEqualTo(view.end());
                assertThat(log.view(201)).isNull();
            }
        }
    }

    /** Retention deletes the file of a segment before it removes the segment from the log. */
    @Test
    void shouldBeginWithTheNextSegmentWhileTheOldestIsBeingDeleted() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            append(log);
            roll(log);
            awaitSealed(log, directory);
            Files.delete(folder.resolve("orders-0/00000000000000000000.log"));
            try (SegmentView view = log.view(0)) {
                assertThat(view.baseOffset()).isEqualTo(log.segments().head().baseOffset());
                assertThat(view.offset()).isEqualTo(view.baseOffset());
            }
        }
    }

    @Test
    void shouldEndWithTheSegmentAndKeepItsBytes() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            SegmentView view = log.view(0);
            ByteBuffer memory = bytes(view);
            roll(log);
            assertThat(view.isEnded()).isTrue();
            long end = view.end();
            awaitSealed(log, directory);
            assertThat(view.end()).isEqualTo(end);
            assertThat(Files.size(folder.resolve("orders-0/00000000000000000000.log")))
                    .isEqualTo(end);
            assertThat(RecordBatchLayout.baseOffset(memory, 0)).isZero();
            assertThat(memory.get(memory.capacity() - 1))
                    .as("a page that the file no longer has")
                    .isZero();
            try (SegmentView sealed = log.view(0);
                    SegmentView next = log.view(log.nextOffset() - 1)) {
                assertThat(sealed.region().length()).isGreaterThanOrEqualTo(end);
                assertThat(sealed.isEnded()).isTrue();
                assertThat(next.baseOffset()).isEqualTo(log.nextOffset() - 1);
                assertThat(next.isEnded()).isFalse();
            }
            view.close();
            view.close();
        }
        assertThat(isMapped()).isFalse();
    }

    @Test
    void shouldStayReadableWhenRetentionDeletesTheSegment() throws Exception {
        AtomicInteger deletions = new AtomicInteger();
        LogListener listener = new LogListener() {
            @Override
            public void onDurable(PartitionLog log, long durableOffset) {}

            @Override
            public void onDeleted(PartitionLog log) {
                deletions.incrementAndGet();
            }
        };
        LogOptions options = new LogOptions(
                64 << 10,
                0,
                1024,
                32 << 10,
                LogOptions.FlushPolicy.INTERVAL,
                Duration.ofMillis(20),
                Duration.ofSeconds(1),
                0);
        try (LogDirectory directory = LogDirectory.open(folder, options, listener)) {
            PartitionLog log = directory.partition("orders-0");
            append(log);
            SegmentView view = log.view(0);
            assertThat(view.isDeleted()).isFalse();
            roll(log);
            await().until(() -> deletions.get() > 0);
            assertThat(view.isDeleted()).isTrue();
            assertThat(log.startOffset()).isPositive();
            assertThat(folder.resolve("orders-0/00000000000000000000.log")).doesNotExist();
            assertThat(RecordBatchLayout.length(bytes(view), 0)).isPositive();
            try (SegmentView oldest = log.view(0)) {
                assertThat(oldest.offset()).isEqualTo(log.startOffset());
            }
            assertThat(isMapped()).isTrue();
            view.close();
            assertThat(isMapped()).isFalse();
        }
    }

    @Test
    void shouldHoldTheMemoryForUsersOfTheRegion() throws Exception {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            append(log);
            SegmentView view = log.view(0);
            Region region = view.region();
            region.retain();
            view.close();
            assertThat(isMapped()).isTrue();
            assertThat(RecordBatchLayout.length(region.window(0, 100), 0)).isPositive();
            region.release();
            assertThat(isMapped()).isFalse();
        }
    }

    @Test
    void shouldContinueTheLogAfterItWasMappedAndNotClosed() {
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            append(log);
            log.view(0); // extends the file with zeros, and is never closed
        }
        try (LogDirectory directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER)) {
            PartitionLog log = directory.partition("orders-0");
            assertThat(append(log)).isEqualTo(1);
            assertThat(Batches.read(log)).hasSize(2);
        }
    }
}

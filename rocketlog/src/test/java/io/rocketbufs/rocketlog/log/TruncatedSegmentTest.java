package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of log files that another program truncates, on a real file system. */
@Timeout(600)
final class TruncatedSegmentTest {
    private static final int SEGMENT_LENGTH = 64 << 10;
    private static final LogOptions OPTIONS = options(0, LogOptions.FlushPolicy.NONE, Duration.ofMillis(20));
    /** Options with which the periodic checks do not run during a test. */
    private static final LogOptions WITHOUT_ROUNDS = options(0, LogOptions.FlushPolicy.NONE, Duration.ofHours(1));

    @TempDir
    Path folder;

    private final AtomicInteger truncatedCount = new AtomicInteger();
    private LogDirectory directory;
    private PartitionLog log;

    private static LogOptions options(int allocationStep, LogOptions.FlushPolicy flush, Duration interval) {
        return new LogOptions(SEGMENT_LENGTH, allocationStep, 4096, 32 << 10, flush, interval, null, 0);
    }

    private void open(LogOptions options) {
        directory = LogDirectory.open(folder, options, new LogListener() {
            @Override
            public void onDurable(PartitionLog durable, long offset) {}

            @Override
            public void onTruncated(PartitionLog truncated) {
                assertThat(truncated).isSameAs(log);
                truncatedCount.incrementAndGet();
            }
        });
        log = directory.partition("orders-0");
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private static long append(PartitionLog log) {
        return log.append(Batches.of(1, 1, "v".repeat(20_000)));
    }

    private void truncate(Segment segment, long length) throws IOException {
        try (FileChannel file = FileChannel.open(Path.of(segment.path()), StandardOpenOption.WRITE)) {
            file.truncate(length);
        }
    }

    private void assertFailed(Segment truncated, int length) {
        await().until(() -> log.failure() != null);
        assertThat(log.failure().code()).isEqualTo(LogException.Code.DAMAGED);
        assertThat(log.failure())
                .hasMessageContaining(truncated.path() + ": another program truncated the file to " + length + " of ")
                .hasMessageContaining("; run `rocketlog verify`");
        assertThat(append(log)).isEqualTo(PartitionLog.FAILED);
    }

    @Test
    void shouldFailAndReportOnceThatAMappedHeadWasTruncated() throws Exception {
        open(OPTIONS);
        append(log);
        try (SegmentView view = log.view(0)) {
            assertThat(view.isTruncated()).isFalse();
            truncate(log.segments().head(), 1000);
            await().untilAtomic(truncatedCount, count -> assertThat(count).isEqualTo(1));
            assertFailed(log.segments().head(), 1000);
            assertThat(view.isTruncated()).isTrue();
        }
        PartitionLog other = directory.partition("orders-1");
        assertThat(append(other)).isZero();
        assertThat(truncatedCount).hasValue(1);
    }

    @Test
    void shouldDetectThatTheHeadWasTruncatedAlthoughLaterBatchesExtendedIt() throws Exception {
        open(OPTIONS);
        append(log);
        try (SegmentView view = log.view(0)) {
            truncate(log.segments().head(), 0);
            append(log);
            await().until(view::isTruncated);
        }
    }

    @Test
    void shouldDetectThatASealedSegmentWithAnOpenViewWasTruncated() throws Exception {
        open(OPTIONS);
        append(log);
        Segment first = log.segments().head();
        try (SegmentView view = log.view(0)) {
            while (log.segments().head() == first) {
                append(log);
            }
            await().until(first::isSealed);
            truncate(first, 0);
            assertFailed(first, 0);
            assertThat(view.isTruncated()).isTrue();
        }
        try (SegmentView other = log.view(log.segments().head().baseOffset())) {
            assertThat(other.isTruncated()).isFalse(); // intact segments can still be read
        }
    }

    @Test
    void shouldFailWhenATruncatedSegmentCannotBeOpened() throws Exception {
        open(OPTIONS);
        append(log);
        truncate(log.segments().head(), 100);
        assertThatExceptionOfType(LogException.class).isThrownBy(() -> log.view(log.nextOffset()));
        assertFailed(log.segments().head(), 100);
    }

    @Test
    void shouldRefuseToShowATruncatedSegmentAsMemory() throws Exception {
        open(WITHOUT_ROUNDS);
        append(log);
        Segment head = log.segments().head();
        truncate(head, 100);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(() -> log.view(log.nextOffset()))
                .withMessageContaining(head.path())
                .withMessageContaining("another program truncated the file to 100 of " + head.end());
        try (FileChannel file = FileChannel.open(Path.of(head.path()), StandardOpenOption.WRITE)) {
            // The file is now at least as long as before, but has different content.
            file.write(ByteBuffer.allocate(1), head.end());
        }
        assertThatExceptionOfType(LogException.class).isThrownBy(() -> log.view(log.nextOffset()));
        directory.requestFlush();
        assertFailed(head, 100);
    }

    @Test
    void shouldNotMakeRecordsDurableAfterAHole() throws Exception {
        open(options(32 << 10, LogOptions.FlushPolicy.ALWAYS, Duration.ofHours(1)));
        log.append(Batches.of(1, 1, "value"));
        await().until(() -> directory.durableOffset(log) == 1);
        truncate(log.segments().head(), 0);
        log.append(Batches.of(1, 1, "value"));
        assertFailed(log.segments().head(), (int) log.segments().head().end());
        assertThat(directory.durableOffset(log)).isEqualTo(1);
    }

    @Test
    void shouldNotTouchTheMemoryOfALeaseWhoseFileWasTruncated() throws Exception {
        open(WITHOUT_ROUNDS);
        SegmentLoan loan = log.lend();
        ByteBuffer batch = Batches.of(1, 1, "v".repeat(20_000));
        loan.region().window(0, (int) loan.region().length()).put(0, batch, 0, batch.remaining());
        assertThat(log.commit(loan, batch.remaining(), RecordBatchLayout.NO_PRODUCER, BatchLimits.NONE))
                .isZero();
        truncate(log.segments().head(), 0);
        assertThat(loan.changedOffset()).isEqualTo(-1);
        log.takeBack(loan, false);
        loan.close();
        assertFailed(log.segments().head(), 0);
    }
}

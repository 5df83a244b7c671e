package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of batches that a peer writes into the head, on a real file system. The tests act as the peer. */
@Timeout(600)
final class SegmentLoanTest {
    private static final LogOptions OPTIONS = LogDirectoryTest.OPTIONS;
    private static final LogListener NO_LISTENER = (log, offset) -> {};

    @TempDir
    Path folder;

    @TempDir
    Path other;

    private LogDirectory directory;
    private PartitionLog log;

    @BeforeEach
    void open() {
        directory = LogDirectory.open(folder, OPTIONS, NO_LISTENER);
        log = directory.partition("orders-0");
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private void reopen() {
        directory.close();
        open();
    }

    /** Writes a batch to the next place, and returns the result of committing it. */
    private long write(SegmentLoan loan, ByteBuffer batch) {
        int length = batch.remaining();
        put(loan, (int) loan.segment().end(), batch);
        return log.commit(loan, length, RecordBatchLayout.NO_PRODUCER, BatchLimits.NONE);
    }

    /** The place can contain another producer's batch if a peer has changed the word that determines the places. */
    @Test
    void shouldRefuseTheBatchOfAnotherProducer() {
        SegmentLoan loan = log.lend();
        ByteBuffer batch = Batches.of(1, 1, "of the producer 7", 7, 0, 0);
        put(loan, (int) loan.segment().end(), batch);
        assertThat(log.commit(loan, batch.remaining(), 8, BatchLimits.NONE)).isEqualTo(PartitionLog.REJECTED);
        assertThat(log.verdict()).isEqualTo(BatchVerdict.OTHER_PRODUCER);
        assertThat(log.nextOffset()).isZero();
        assertThat(log.commit(loan, batch.remaining(), 7, BatchLimits.NONE)).isZero();
        takeBack(loan, false);
    }

    private static void put(SegmentLoan loan, int position, ByteBuffer bytes) {
        Region region = loan.region();
        region.window(0, (int) region.length()).put(position, bytes, bytes.position(), bytes.remaining());
    }

    private void takeBack(SegmentLoan loan, boolean isChanged) {
        log.takeBack(loan, isChanged);
        loan.close();
    }

    @Test
    void shouldNumberBatchesWhereTheyAre() {
        log.append(Batches.of(1, 3, "before"));
        SegmentLoan loan = log.lend();
        assertThat(loan.begin()).isEqualTo((int) loan.segment().end()).isPositive();
        assertThat(loan.length()).isEqualTo(OPTIONS.segmentLength() - loan.begin());
        try (SegmentView view = log.view(0)) {
            put(loan, loan.begin(), Batches.of(1, 2, "during"));
            assertThat(view.end()).isEqualTo(loan.begin()); // the batch is invisible until it has been checked
        }
        assertThat(write(loan, Batches.of(1, 2, "during"))).isEqualTo(3);
        assertThat(write(loan, Batches.of(1, 1, "during"))).isEqualTo(5);
        assertThat(loan.changedOffset()).isEqualTo(-1);
        takeBack(loan, false);
        assertThat(log.append(Batches.of(1, 1, "after"))).isEqualTo(6);
        assertThat(Batches.read(log)).hasSize(4);
        reopen();
        assertThat(log.nextOffset()).isEqualTo(7);
        assertThat(Batches.read(log)).hasSize(4);
    }

    @Test
    void shouldRecoverExactlyTheCommittedBatchesAfterACrashOfTheProcess() throws Exception {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 2, "committed", 7, 0, 0));
        put(loan, (int) loan.segment().end(), Batches.of(1, 1, "not announced", 7, 0, 2));
        copyTo(other);
        takeBack(loan, false);
        try (LogDirectory killed = LogDirectory.open(other, OPTIONS, NO_LISTENER)) {
            PartitionLog recovered = killed.partition("orders-0");
            assertThat(recovered.nextOffset()).isEqualTo(2);
            assertThat(recovered.append(Batches.of(1, 2, "committed", 7, 0, 0))).isEqualTo(PartitionLog.DUPLICATE);
            assertThat(recovered.append(Batches.of(1, 1, "not announced", 7, 0, 2)))
                    .isEqualTo(2);
        }
    }

    /** Nothing in the file distinguishes such a batch from an accepted one. */
    @Test
    void shouldRecoverABatchWhoseOffsetThePeerHasSetItself() throws Exception {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 2, "committed"));
        ByteBuffer forged = Batches.of(1, 1, "forged");
        RecordBatchLayout.assign(forged, 0, 2, 0);
        assertRejected(loan, forged, BatchVerdict.ASSIGNED);
        copyTo(other);
        takeBack(loan, false);
        assertThat(log.nextOffset()).isEqualTo(2);
        try (LogDirectory killed = LogDirectory.open(other, OPTIONS, NO_LISTENER)) {
            assertThat(killed.partition("orders-0").nextOffset()).isEqualTo(3);
        }
    }

    private void copyTo(Path target) throws IOException {
        Files.copy(folder.resolve("FORMAT"), target.resolve("FORMAT"));
        Path copy = Files.createDirectory(target.resolve("orders-0"));
        try (Stream<Path> files = Files.list(folder.resolve("orders-0"))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
    }

    @Test
    void shouldRemoveBytesWrittenAfterTheLastBatch() throws Exception {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 2, "committed"));
        put(loan, (int) loan.segment().end(), Batches.of(1, 5, "left over"));
        takeBack(loan, false);
        Path file = folder.resolve("orders-0").resolve("00000000000000000000.log");
        byte[] bytes = Files.readAllBytes(file); // may include space for later batches
        int end = (int) log.segments().head().end();
        assertThat(Arrays.copyOfRange(bytes, end, bytes.length)).isEqualTo(new byte[bytes.length - end]);
        log.append(Batches.of(1, 1, "x"));
        assertThat(Batches.read(log)).hasSize(2);
    }

    @Test
    void shouldRefuseBatchesAndStayUnchanged() {
        SegmentLoan loan = log.lend();
        assertRejected(loan, Batches.of(1, 1, "v").limit(60), BatchVerdict.TRUNCATED);
        ByteBuffer longer = Batches.of(1, 1, "v");
        longer.putInt(8, longer.getInt(8) + 1);
        assertRejected(loan, longer, BatchVerdict.BAD_LENGTH);
        ByteBuffer badCrc = Batches.of(1, 1, "v");
        assertRejected(loan, badCrc.put(badCrc.limit() - 1, (byte) 99), BatchVerdict.BAD_CRC);
        ByteBuffer assigned = Batches.of(1, 1, "v");
        RecordBatchLayout.assign(assigned, 0, 0, RecordBatchLayout.NOT_ASSIGNED);
        assertRejected(loan, assigned, BatchVerdict.ASSIGNED);
        RecordBatchLayout.assign(assigned, 0, RecordBatchLayout.NOT_ASSIGNED, 0);
        assertRejected(loan, assigned, BatchVerdict.ASSIGNED);
        assertThat(log.commit(loan, loan.room() + 1, RecordBatchLayout.NO_PRODUCER, BatchLimits.NONE))
                .isEqualTo(PartitionLog.REJECTED);
        assertThat(log.commit(loan, Integer.MAX_VALUE, RecordBatchLayout.NO_PRODUCER, BatchLimits.NONE))
                .isEqualTo(PartitionLog.REJECTED);
        assertThat(log.commit(loan, 0, RecordBatchLayout.NO_PRODUCER, BatchLimits.NONE))
                .isEqualTo(PartitionLog.REJECTED);
        assertThat(log.nextOffset()).isZero();
        assertThat(loan.count()).isZero();
        assertThat(write(loan, Batches.of(1, 1, "v", 7, 0, 0))).isZero();
        assertThat(write(loan, Batches.of(1, 1, "v", 7, 0, 0))).isEqualTo(PartitionLog.DUPLICATE);
        assertThat(write(loan, Batches.of(1, 1, "v", 7, 0, 9))).isEqualTo(PartitionLog.OUT_OF_ORDER);
        assertThat(loan.count()).isEqualTo(1);
        takeBack(loan, false);
        assertThat(Batches.read(log)).hasSize(1);
    }

    private void assertRejected(SegmentLoan loan, ByteBuffer batch, BatchVerdict verdict) {
        assertThat(write(loan, batch)).isEqualTo(PartitionLog.REJECTED);
        assertThat(log.verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 8, 11, 12, 15, 16, 17, 20, 21, 22, 26, 34, 42, 50, 52, 56, 60, 61, 80})
    void shouldFindAByteThatHasChangedSinceItsBatchWasAccepted(int place) {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 2, "first value"));
        int second = (int) loan.segment().end();
        write(loan, Batches.of(1, 3, "second value"));
        write(loan, Batches.of(1, 4, "third value"));
        assertThat(loan.changedOffset()).isEqualTo(-1);
        ByteBuffer memory = loan.region().window(0, (int) loan.region().length());
        memory.put(second + place, (byte) (memory.get(second + place) + 1));
        assertThat(loan.changedOffset()).isEqualTo(2);
        takeBack(loan, true);
    }

    @Test
    void shouldFindABatchThatWasReplacedByAnotherValidOne() {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 1, "first"));
        ByteBuffer other = Batches.of(1, 1, "fraud");
        RecordBatchLayout.assign(other, 0, 0, 0);
        put(loan, 0, other);
        assertThat(loan.changedOffset()).isZero();
        takeBack(loan, true);
    }

    @Test
    void shouldFindChangesAmongMoreBatchesThanItHasChecksums() {
        directory.close();
        directory = LogDirectory.open(folder, OPTIONS.withSegments(512 << 10, 16 << 10, 32 << 10), NO_LISTENER);
        log = directory.partition("orders-0");
        SegmentLoan loan = log.lend();
        ByteBuffer batch = Batches.of(1, 1, "value");
        int length = batch.remaining();
        while (loan.room() >= length) {
            assertThat(write(loan, batch.duplicate())).isEqualTo(loan.count() - 1);
        }
        assertThat(loan.count()).isGreaterThan(5000);
        assertThat(loan.changedOffset()).isEqualTo(-1);
        ByteBuffer memory = loan.region().window(0, (int) loan.region().length());
        for (int changed = 0; changed < loan.count(); changed += 97) {
            ByteBuffer former = ByteBuffer.allocate(length).put(0, memory, changed * length, length);
            int inRecords = changed * length + 65;
            memory.put(inRecords, (byte) (memory.get(inRecords) + 1));
            assertThat(loan.changedOffset()).isBetween(changed - 7L, (long) changed);
            ByteBuffer other = Batches.of(1, 1, "fraud");
            RecordBatchLayout.assign(other, 0, changed, 0);
            put(loan, changed * length, other);
            assertThat(loan.changedOffset()).isBetween(changed - 7L, (long) changed);
            put(loan, changed * length, former);
        }
        assertThat(loan.changedOffset()).isEqualTo(-1);
        takeBack(loan, false);
    }

    @Test
    void shouldProtectLaterBatchesFromADamagedOne() {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 1, "first"));
        write(loan, Batches.of(1, 1, "second"));
        put(loan, 70, ByteBuffer.allocate(3));
        takeBack(loan, true);
        assertThat(log.append(Batches.of(1, 1, "third"))).isEqualTo(2);
        reopen();
        assertThat(log.nextOffset()).isEqualTo(3);
        assertThat(log.read(2, ByteBuffer.allocate(2000))).isPositive();
    }

    @Test
    void shouldLendANewHeadIfTheLongestBatchDoesNotFit() {
        Segment former = log.segments().head();
        while (log.segments().hasRoom(OPTIONS.longestBatch(), OPTIONS.longestBatch())) {
            log.append(Batches.of(1, 1, "v".repeat(1000)));
        }
        assertThat(log.segments().head()).isSameAs(former);
        SegmentLoan loan = log.lend();
        assertThat(loan.segment()).isNotSameAs(former);
        assertThat(loan.begin()).isZero();
        takeBack(loan, false);
    }

    @Test
    void shouldCloseTheLogWhileItIsLent() {
        SegmentLoan loan = log.lend();
        write(loan, Batches.of(1, 1, "first"));
        reopen();
        put(loan, (int) loan.region().length() - 1, ByteBuffer.allocate(1)); // this page is no longer part of the file
        assertThat(log.nextOffset()).isEqualTo(1);
        assertThat(log.append(Batches.of(1, 1, "second"))).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldRefuseToLendAFailedLog(boolean isClosed) {
        if (isClosed) {
            directory.close();
        } else {
            log.fail(new LogException(LogException.Code.IO, "the disk is broken", "replace it", null));
        }
        assertThatExceptionOfType(LogException.class).isThrownBy(() -> log.lend());
    }
}

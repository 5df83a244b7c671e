package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Tests of crashes at every change of the disk, including during recovery and in recovered logs. After each crash, the
 * log must contain a prefix of the appended records: every acknowledged record once, in order, and no record that was
 * not appended. It must recognize the last batch of its producer, and recovering the recovered log must change nothing.
 *
 * <p>Some of the batches are written by peers to lent memory, in one or several places at once. The machine also
 * crashes when a batch is half written, before and after the log has accepted or refused it, and when the loan has
 * ended.
 */
@Tag("once")
@Timeout(600)
final class CrashStatesTest {
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS
            .withSegments(1000, 512, 400)
            .withIndexInterval(100)
            .withRetention(Duration.ofDays(7), 4000);
    private static final int CRASHES_OF_ONE_LOG = 3;
    private static final int PRODUCER = 7;

    private Random random;
    private long states;

    @Test
    void shouldRecoverEveryAcknowledgedRecordAfterEachCrash() {
        check(100_000);
    }

    @Test
    @Tag("slow")
    @Timeout(3600)
    void shouldRecoverFromMillionsOfCrashes() {
        check(5_000_000);
    }

    private void check(long wanted) {
        // Most of these recoveries log a warning about the data that they remove, and some logs fail.
        ((Logger) LoggerFactory.getLogger(Recovery.class)).setLevel(Level.ERROR);
        ((Logger) LoggerFactory.getLogger(PartitionLog.class)).setLevel(Level.OFF);
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        random = new Random(seed);
        while (states < wanted) {
            Life life = new Life(new SimulatedDisk(), List.of(), new Promise(0, 0, 0), 1);
            life.run(10 + random.nextInt(30));
        }
        System.out.println(states + " crash states");
    }

    /**
     * The expected content of a log when it is reopened.
     *
     * @param start offset at or before which the log must begin
     * @param afterKill offset that the log must reach if the process was killed
     * @param afterCrash offset that the log must reach if the machine crashed
     */
    private record Promise(long start, long afterKill, long afterCrash) {
        Promise withoutMemory() {
            return new Promise(start, afterCrash, afterCrash);
        }
    }

    /** The life of a log between two crashes. */
    private final class Life {
        private final SimulatedDisk disk;
        private final int number;
        private final Promise inherited;
        private List<ByteBuffer> appended;
        private PartitionLog log;
        private Maintenance maintenance;
        /** The next offset after recovery. Recovery forces all records before it. */
        private long recovered;
        /** The loan of the head's memory; null if there is none. */
        private SegmentLoan loan;

        private ByteBuffer memory;
        /** Batches that peers have written to the memory, and that the log has not checked yet, in order. */
        private final Deque<ByteBuffer> written = new ArrayDeque<>();
        /** Position in the memory of the next batch that a peer writes. */
        private int place;
        /** Offset of the next batch that a peer writes, if the log accepts all batches before it. */
        private long placeOffset;

        Life(SimulatedDisk disk, List<ByteBuffer> appended, Promise inherited, int number) {
            this.disk = disk;
            this.appended = appended;
            this.inherited = inherited;
            this.number = number;
        }

        void run(int steps) {
            disk.shortenWrites(1 + random.nextInt(300));
            disk.beforeChange(this::crash);
            open();
            appended = Batches.read(log);
            for (int i = 0; i < steps; i++) {
                step();
            }
            if (loan != null) {
                takeBack();
            }
            disk.beforeChange(() -> {});
        }

        private void open() {
            PartitionLog opened = TestLogs.open("orders-0", disk, OPTIONS, () -> {});
            maintenance = new Maintenance(opened);
            recovered = opened.nextOffset();
            log = opened;
        }

        private void step() {
            switch (random.nextInt(11)) {
                case 0 -> maintenance.flush();
                case 1 -> maintenance.seal();
                case 2 -> maintenance.allocate();
                case 3 -> maintenance.retain(0);
                case 4 -> reopen();
                case 5 -> {
                    disk.free(random.nextInt(60));
                    produce();
                    disk.free(1 << 20);
                }
                case 6 -> {
                    disk.failForces(random.nextInt(3));
                    maintenance.flush();
                    maintenance.seal();
                    disk.failForces(0);
                    reopen();
                }
                default -> produce();
            }
        }

        private void reopen() {
            if (loan != null && random.nextBoolean()) {
                takeBack();
            }
            maintenance.close();
            if (loan != null) {
                endLoan();
            }
            open();
        }

        private void produce() {
            if (loan == null && random.nextInt(8) > 0) {
                append(batch(log.nextOffset()), log::append);
            } else if (loan == null) {
                lend();
            } else {
                useLoan(random.nextInt(8));
            }
        }

        private ByteBuffer batch(long sequence) {
            int records = 1 + random.nextInt(3);
            String value = Integer.toString(random.nextInt()).repeat(random.nextInt(6));
            return Batches.of(appended.size(), records, value, PRODUCER, 0, (int) sequence);
        }

        /** Returns the result of the call, which appends the batch. */
        private long append(ByteBuffer batch, ToLongFunction<ByteBuffer> call) {
            ByteBuffer expected =
                    ByteBuffer.allocate(batch.limit()).put(batch.duplicate()).flip();
            // The batch counts as appended from the start of the call, because it may survive a crash during the call.
            RecordBatchLayout.assign(expected, 0, log.nextOffset(), 0);
            appended.add(expected);
            long result = call.applyAsLong(batch);
            if (result < 0) {
                appended.remove(appended.size() - 1);
            }
            return result;
        }

        private void lend() {
            try {
                loan = log.lend();
            } catch (LogException e) { // the disk is full, or the log has failed
                return;
            }
            memory = loan.region().window(0, (int) loan.region().length());
            place = loan.begin();
            placeOffset = log.nextOffset();
        }

        private void useLoan(int action) {
            if (action < 4) {
                write();
            } else if (action == 7) {
                takeBack();
            } else if (written.isEmpty()) {
                copy(batch(log.nextOffset()));
            } else {
                commit(written.remove());
            }
        }

        /** Acts as a peer that writes a batch after those that peers have already written. */
        private void write() {
            int lie = random.nextInt(20);
            long gap = lie == 0 ? 5 : lie == 1 ? -1 : 0; // the log refuses a gap, and a repetition
            ByteBuffer batch = batch(placeOffset + gap);
            if (lie == 2) {
                batch.put(batch.limit() - 1, (byte) (batch.get(batch.limit() - 1) + 1));
            }
            int length = batch.limit();
            if (length > memory.capacity() - place) {
                takeBack();
                return;
            }
            int part = random.nextInt(length);
            memory.put(place, batch, 0, part);
            crash();
            memory.put(place + part, batch, part, length - part);
            crash();
            written.add(batch);
            place += length;
            placeOffset += RecordBatchLayout.count(batch, 0);
        }

        private void commit(ByteBuffer batch) {
            long result = append(batch, each -> log.commit(loan, each.limit(), PRODUCER, BatchLimits.NONE));
            crash();
            if (result < 0) {
                takeBack();
            }
        }

        /** Appends a batch that a producer without access to the memory has sent. */
        private void copy(ByteBuffer batch) {
            long result = log.check(batch, BatchLimits.NONE) == 0 ? append(batch, each -> log.append(loan, each)) : -1;
            if (result < 0) {
                takeBack();
            } else {
                place += batch.limit();
                placeOffset = log.nextOffset();
            }
        }

        /** Ends the loan in the middle of what the peers do. */
        private void takeBack() {
            log.takeBack(loan, random.nextInt(4) == 0);
            crash();
            endLoan();
        }

        private void endLoan() {
            disk.unmap();
            loan.close();
            loan = null;
            written.clear();
        }

        private Promise promise() {
            if (log == null) {
                return inherited;
            }
            long durable = Math.max(recovered, maintenance.durableOffset());
            return new Promise(log.startOffset(), log.nextOffset(), durable);
        }

        private void crash() {
            Promise promise = promise();
            for (int i = 0; i < 3; i++) {
                recover(disk.afterCrash(random), promise.withoutMemory());
            }
            recover(disk.afterKill(), promise);
        }

        private void recover(SimulatedDisk crashed, Promise promise) {
            states++;
            if (number < CRASHES_OF_ONE_LOG && random.nextInt(60) == 0) {
                Life next = new Life(crashed, appended, promise, number + 1);
                next.run(random.nextInt(8));
                return;
            }
            PartitionLog log = TestLogs.open("orders-0", crashed, OPTIONS, () -> {});
            List<ByteBuffer> batches = Batches.read(log);
            if (log.nextOffset() < promise.afterKill() || log.startOffset() > promise.start()) {
                throw new AssertionError("recovered the offsets " + log.startOffset() + " to " + log.nextOffset()
                        + " instead of " + promise.start() + " to " + promise.afterKill());
            }
            int first = indexOf(log.startOffset());
            if (first + batches.size() > appended.size()
                    || !batches.equals(appended.subList(first, first + batches.size()))) {
                assertThat(batches).isEqualTo(appended.subList(first, appended.size()));
            }
            PartitionLog again = TestLogs.open("orders-0", crashed.afterCrash(random), OPTIONS, () -> {});
            if (again.nextOffset() != log.nextOffset() || again.startOffset() != log.startOffset()) {
                throw new AssertionError(
                        "the second recovery ends at " + again.nextOffset() + " instead of " + log.nextOffset());
            }
            checkProducer(again, batches);
        }

        /** Resends the producer's last batch, as if the producer had not received the acknowledgement. */
        private void checkProducer(PartitionLog log, List<ByteBuffer> batches) {
            if (batches.isEmpty()) {
                return;
            }
            ByteBuffer last = batches.get(batches.size() - 1);
            long offset = last.getLong(0);
            long result = log.append(ByteBuffer.wrap(last.array().clone()));
            if (result != PartitionLog.DUPLICATE || log.duplicateOffset() != offset) {
                throw new AssertionError("the last batch, " + offset + ", was sent again: " + result);
            }
        }

        private int indexOf(long offset) {
            for (int i = 0; i < appended.size(); i++) {
                if (appended.get(i).getLong(0) == offset) {
                    return i;
                }
            }
            return appended.size();
        }
    }
}

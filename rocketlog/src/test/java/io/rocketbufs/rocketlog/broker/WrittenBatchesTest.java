package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class WrittenBatchesTest {
    private static final int REFUSED_LENGTH = 13;
    private static final long TIMEOUT_MS = 100;

    private final RecordedEvents recorded = new RecordedEvents();
    private final List<String> events = recorded.names;
    private final FakeLog log = new FakeLog();
    private final WrittenBatches shared = new WrittenBatches(log, true, TIMEOUT_MS, recorded);

    /** A fake log in which every batch contains one record. */
    private static final class FakeLog implements WrittenBatches.Log {
        private final List<Integer> lengths = new ArrayList<>();
        private volatile int appended;
        /** The producer id in the next batch. */
        private long producerId = 1;

        private boolean hasRoom;
        private int failures;

        @Override
        public long commit(int length, long expectedId) {
            if (expectedId != producerId) {
                return AppendResult.rejected(BatchVerdict.OTHER_PRODUCER);
            }
            if (length == REFUSED_LENGTH) {
                return AppendResult.FENCED;
            }
            lengths.add(length);
            appended = lengths.size();
            return lengths.size() - 1;
        }

        @Override
        public long check(ByteBuffer batch) {
            throw new AssertionError();
        }

        @Override
        public long append(ByteBuffer batch) {
            throw new AssertionError();
        }

        @Override
        public int count() {
            return lengths.size();
        }

        @Override
        public long nextOffset() {
            return lengths.size();
        }

        @Override
        public long length() {
            return 1000;
        }

        @Override
        public long end() {
            throw new AssertionError();
        }

        @Override
        public boolean hasRoom() {
            if (failures-- > 0) {
                throw new IllegalStateException("in this test");
            }
            return hasRoom;
        }
    }

    @Test
    void shouldGiveEachWriterItsResultsWhenItsOrdersAreDue() {
        FakeWriter firstWriter = new FakeWriter(1);
        FakeWriter secondWriter = new FakeWriter(1);
        List<Long> first = firstWriter.results;
        List<Long> second = secondWriter.results;
        int one = shared.add(firstWriter);
        int two = shared.add(secondWriter);
        assertThat(shared.written(two, 1, 101)).isTrue();
        assertThat(shared.written(two, 2, 102)).isTrue();
        assertThat(shared.isMissing()).isTrue();
        assertThat(second).isEmpty();
        assertThat(events).containsExactly("early", "early");
        assertThat(shared.written(one, 0, 100)).isTrue();
        assertThat(first).containsExactly(0L);
        assertThat(second).containsExactly(1L, 2L);
        assertThat(log.lengths).containsExactly(100, 101, 102);
        assertThat(shared.isMissing()).isFalse();
    }

    @Test
    void shouldAppendNothingAfterARefusedBatch() {
        FakeWriter one = new FakeWriter(1);
        List<Long> results = one.results;
        int writer = shared.add(one);
        shared.written(writer, 2, 100);
        shared.written(writer, 1, REFUSED_LENGTH);
        shared.written(writer, 0, 100);
        shared.written(writer, 3, 100);
        assertThat(results)
                .containsExactly(0L, AppendResult.LEASE_ENDED, AppendResult.LEASE_ENDED, AppendResult.LEASE_ENDED);
        assertThat(events).containsOnlyOnce("broken");
        assertThat(log.lengths).containsExactly(100);
    }

    @Test
    void shouldReportTheVerdictToAnExclusiveWriter() {
        WrittenBatches exclusive = new WrittenBatches(log, false, TIMEOUT_MS, recorded);
        FakeWriter one = new FakeWriter(1);
        List<Long> results = one.results;
        int writer = exclusive.add(one);
        exclusive.written(writer, 0, REFUSED_LENGTH);
        exclusive.written(writer, 1, 100);
        assertThat(results).containsExactly(AppendResult.FENCED, AppendResult.LEASE_ENDED);
    }

    @Test
    void shouldWaitForEarlierBatchesWhenTheSegmentIsFull() {
        FakeWriter one = new FakeWriter(1);
        List<Long> results = one.results;
        int writer = shared.add(one);
        shared.written(writer, 1, 0);
        assertThat(shared.isFull()).isTrue();
        assertThat(events).containsExactly("early");
        shared.written(writer, 2, 0);
        shared.written(writer, 0, 100);
        assertThat(results).containsExactly(0L);
        assertThat(events).containsOnlyOnce("full").doesNotContain("broken");
    }

    @Test
    void shouldBreakOffWhenTheSameOrderIsMissingForTheWholeTimeout() {
        long timeoutNs = TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        FakeWriter one = new FakeWriter(1);
        int writer = shared.add(one);
        shared.checkMissing(-5); // no batch is missing
        shared.written(writer, 1, 101);
        shared.checkMissing(0);
        shared.checkMissing(0); // another timer expires at the same time
        shared.checkMissing(timeoutNs - 1);
        shared.written(writer, 0, 100);
        shared.written(writer, 3, 103);
        shared.checkMissing(2 * timeoutNs); // another batch is now missing
        shared.checkMissing(3 * timeoutNs - 1);
        assertThat(events).doesNotContain("broken");
        assertThat(shared.isMissing()).isTrue();
        shared.checkMissing(3 * timeoutNs);
        assertThat(events).containsOnlyOnce("broken");
        assertThat(one.results).containsExactly(0L, 1L, AppendResult.LEASE_ENDED);
        assertThat(shared.written(writer, 2, 102)).isTrue();
        assertThat(one.results).hasSize(4).last().isEqualTo(AppendResult.LEASE_ENDED);
    }

    @Test
    void shouldNotReportAnotherWritersResultToAWriter() {
        FakeWriter one = new FakeWriter(1);
        FakeWriter two = new FakeWriter(2);
        int first = shared.add(one);
        int second = shared.add(two);
        log.producerId = 1;
        shared.written(second, 0, 100);
        shared.written(first, 1, 100);
        assertThat(two.results).containsExactly(AppendResult.LEASE_ENDED);
        assertThat(one.results).containsExactly(AppendResult.LEASE_ENDED);
        assertThat(log.lengths).isEmpty();
        assertThat(events).containsOnlyOnce("broken");
    }

    @Test
    void shouldBreakOffWhenAWriterWronglyReportsAFullSegment() {
        int writer = shared.add(new FakeWriter(1));
        log.hasRoom = true;
        shared.written(writer, 0, 0);
        assertThat(events).containsExactly("broken");
    }

    @Test
    void shouldReuseTheNumbersOfFormerWriters() {
        FakeWriter other = new FakeWriter(1);
        int stays = shared.add(other);
        for (int i = 0; i < 5000; i++) {
            FakeWriter one = new FakeWriter(1);
            int number = shared.add(one);
            assertThat(shared.written(number, i, 100)).isTrue();
            assertThat(one.results).containsExactly((long) i);
            shared.remove(number);
        }
        shared.written(stays, 5000, 100);
        assertThat(other.results).containsExactly(5000L);
        IntStream.range(0, 1023).forEach(i -> shared.add(new FakeWriter(1)));
        assertThat(shared.add(new FakeWriter(1))).isEqualTo(-1);
    }

    private FakeWriter withManyWritten(int count) {
        FakeWriter one = new FakeWriter(1);
        int writer = shared.add(one);
        for (int order = 1; order < count; order++) {
            shared.written(writer, order, 100);
        }
        shared.written(writer, 0, 100);
        return one;
    }

    @Test
    void shouldHandOverToTheWritersWorkerAfterManyBatches() {
        FakeWriter one = withManyWritten(200);
        int before = 0;
        while (!one.tasks.isEmpty()) {
            assertThat(one.results).hasSizeBetween(before + 1, before + 100);
            before = one.results.size();
            one.tasks.remove().run();
        }
        assertThat(before).isGreaterThan(100);
        assertThat(one.results).isEqualTo(LongStream.range(0, 200).boxed().toList());
    }

    @Test
    void shouldFinishWithoutTheWorkerThatShouldContinue() {
        FakeWriter one = withManyWritten(200);
        assertThat(one.results).hasSizeLessThan(200);
        shared.finish(() -> events.add("finished"));
        assertThat(events).containsOnlyOnce("finished").doesNotContain("broken");
        assertThat(one.results).isEqualTo(LongStream.range(0, 200).boxed().toList());
        one.tasks.forEach(Runnable::run);
        assertThat(one.results).hasSize(200);
    }

    @Test
    void shouldDiscardTheRestAndFinishAfterAFaultOfTheBroker() {
        FakeWriter one = new FakeWriter(1);
        int writer = shared.add(one);
        shared.written(writer, 1, 101);
        log.failures = 1;
        shared.written(writer, 0, 0); // reports a full segment
        assertThat(events).contains("broken");
        assertThat(one.results).containsExactly(AppendResult.LEASE_ENDED);
        shared.finish(() -> events.add("finished"));
        assertThat(events).containsOnlyOnce("finished");
    }

    @Test
    void shouldReportTheResultOfARefusedBatchAlthoughTheEndOfTheLeaseFails() {
        FakeWriter one = new FakeWriter(1);
        int writer = shared.add(one);
        recorded.failsWhenBroken = true;
        shared.written(writer, 1, 101);
        shared.written(writer, 0, REFUSED_LENGTH);
        assertThat(one.results).containsExactly(AppendResult.LEASE_ENDED, AppendResult.LEASE_ENDED);
        shared.finish(() -> events.add("finished"));
        assertThat(events).containsOnlyOnce("finished");
    }

    @Test
    void shouldBreakOffAtAnOrderThatWasUsedOrIsFarAhead() {
        for (int wrong : new int[] {0, 65_535, 1 + OrderQueue.LIMIT}) {
            FakeLog own = new FakeLog();
            WrittenBatches batches = new WrittenBatches(own, true, TIMEOUT_MS, recorded);
            FakeWriter one = new FakeWriter(1);
            List<Long> results = one.results;
            int writer = batches.add(one);
            events.clear();
            batches.written(writer, 0, 100);
            assertThat(batches.written(writer, wrong, 100)).as("%d", wrong).isFalse();
            assertThat(events).containsExactly("broken");
            batches.written(writer, 1, 100);
            assertThat(results).containsExactly(0L, AppendResult.LEASE_ENDED);
            assertThat(own.lengths).hasSize(1);
        }
    }

    @Test
    void shouldAppendDueBatchesBeforeItFinishes() {
        FakeWriter one = new FakeWriter(1);
        List<Long> results = one.results;
        int writer = shared.add(one);
        shared.written(writer, 0, 100);
        shared.written(writer, 2, 102);
        shared.finish(() -> events.add("finished"));
        assertThat(results).containsExactly(0L, AppendResult.LEASE_ENDED);
        assertThat(events).containsOnlyOnce("finished").doesNotContain("broken");
    }

    /**
     * Several workers write at the same time. Each order must receive one result, and the log must contain the batches
     * in the sequence of their orders.
     */
    @Test
    void shouldAppendTheOrdersOfManyWorkersInOrder() throws InterruptedException {
        int rounds = 5;
        int count = OrderWordLayout.ORDERS + 5000;
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        for (int round = 0; round < rounds; round++) {
            runWorkers(new Random(seed + round), count);
        }
    }

    private void runWorkers(Random random, int count) throws InterruptedException {
        FakeLog own = new FakeLog();
        WrittenBatches batches = new WrittenBatches(own, true, TIMEOUT_MS, new UnbrokenEvents());
        int workers = 3;
        List<FakeWriter> writers = new ArrayList<>();
        List<List<Integer>> orders = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            writers.add(new FakeWriter(ForkJoinPool.commonPool()));
            orders.add(new ArrayList<>());
        }
        for (int order = 0; order < count; order++) {
            orders.get(random.nextInt(workers)).add(order);
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int writer = batches.add(writers.get(i));
            List<Integer> mine = orders.get(i);
            threads.add(new Thread(() -> mine.forEach(order -> {
                while (order - own.appended >= OrderQueue.LIMIT) {
                    Thread.yield();
                }
                batches.written(writer, order % OrderWordLayout.ORDERS, order + 100);
            })));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join();
        }
        CountDownLatch finished = new CountDownLatch(1);
        batches.finish(finished::countDown); // after the result of the last batch
        finished.await();
        assertThat(own.appended).isEqualTo(count);
        for (int order = 0; order < count; order++) {
            assertThat(own.lengths.get(order)).isEqualTo(order + 100);
        }
        for (int i = 0; i < workers; i++) {
            assertThat(writers.get(i).results)
                    .isEqualTo(orders.get(i).stream().map(Integer::longValue).toList());
        }
    }
}

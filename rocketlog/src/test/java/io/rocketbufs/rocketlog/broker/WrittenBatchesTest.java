package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class WrittenBatchesTest {
    private static final int REFUSED_LENGTH = 13;

    private final List<String> events = new ArrayList<>();
    private final FakeLog log = new FakeLog();
    private final WrittenBatches shared = new WrittenBatches(log, true, new Recorder());

    /** A log in which every batch has one record. */
    private static final class FakeLog implements WrittenBatches.Log {
        private final List<Integer> lengths = new ArrayList<>();
        private volatile int appended;

        @Override
        public long commit(int length) {
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
    }

    private final class Recorder implements WrittenBatches.Events {
        @Override
        public void onFull() {
            events.add("full");
        }

        @Override
        public void onBroken(String reason) {
            events.add("broken");
        }

        @Override
        public void onEarly() {
            events.add("early");
        }

        @Override
        public void onCopied() {
            events.add("copied");
        }
    }

    private static int add(WrittenBatches batches, List<Long> results) {
        return batches.add((result, nextOffset) -> {
            assertThat(result < 0 || nextOffset == result + 1).isTrue();
            results.add(result);
        });
    }

    @Test
    void shouldGiveEachWriterItsResultsWhenItsOrdersAreDue() {
        List<Long> first = new ArrayList<>();
        List<Long> second = new ArrayList<>();
        int one = add(shared, first);
        int two = add(shared, second);
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
    void shouldAppendNothingBehindARefusedBatch() {
        List<Long> results = new ArrayList<>();
        int writer = add(shared, results);
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
    void shouldReportTheVerdictToAWriterThatIsAlone() {
        WrittenBatches exclusive = new WrittenBatches(log, false, new Recorder());
        List<Long> results = new ArrayList<>();
        int writer = add(exclusive, results);
        exclusive.written(writer, 0, REFUSED_LENGTH);
        exclusive.written(writer, 1, 100);
        assertThat(results).containsExactly(AppendResult.FENCED, AppendResult.LEASE_ENDED);
    }

    @Test
    void shouldWaitForEarlierBatchesWhenTheSegmentIsFull() {
        List<Long> results = new ArrayList<>();
        int writer = add(shared, results);
        shared.written(writer, 1, 0);
        assertThat(shared.isFull()).isTrue();
        assertThat(events).containsExactly("early");
        shared.written(writer, 2, 0);
        shared.written(writer, 0, 100);
        assertThat(results).containsExactly(0L);
        assertThat(events).containsOnlyOnce("full").doesNotContain("broken");
    }

    @Test
    void shouldBreakOffWhenAnOrderIsMissingInTimeAndNotOtherwise() {
        List<Long> results = new ArrayList<>();
        int writer = add(shared, results);
        shared.checkMissing(); // nothing is missing
        shared.written(writer, 1, 101);
        shared.checkMissing();
        shared.written(writer, 0, 100);
        shared.written(writer, 3, 103);
        shared.checkMissing(); // another one is missing
        assertThat(events).doesNotContain("broken");
        assertThat(shared.isMissing()).isTrue();
        shared.checkMissing();
        assertThat(events).containsOnlyOnce("broken");
        assertThat(results).containsExactly(0L, 1L, AppendResult.LEASE_ENDED);
        assertThat(shared.written(writer, 2, 102)).isTrue();
        assertThat(results).hasSize(4).last().isEqualTo(AppendResult.LEASE_ENDED);
    }

    @Test
    void shouldBreakOffAtAnOrderThatWasUsedOrIsFarAhead() {
        for (int wrong : new int[] {0, 65_535, 1 + OrderQueue.LIMIT}) {
            FakeLog own = new FakeLog();
            WrittenBatches batches = new WrittenBatches(own, true, new Recorder());
            List<Long> results = new ArrayList<>();
            int writer = add(batches, results);
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
    void shouldAppendWhatIsDueBeforeItFinishes() {
        List<Long> results = new ArrayList<>();
        int writer = add(shared, results);
        shared.written(writer, 0, 100);
        shared.written(writer, 2, 102);
        shared.finish(() -> events.add("finished"));
        assertThat(results).containsExactly(0L, AppendResult.LEASE_ENDED);
        assertThat(events).containsOnlyOnce("finished").doesNotContain("broken");
    }

    /** Workers that write at the same time: every order has one result, and the log has the orders' order. */
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
        WrittenBatches batches = new WrittenBatches(own, true, new Ignored());
        int workers = 3;
        List<List<Long>> results = new ArrayList<>();
        List<List<Integer>> orders = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            results.add(new ArrayList<>());
            orders.add(new ArrayList<>());
        }
        for (int order = 0; order < count; order++) {
            orders.get(random.nextInt(workers)).add(order);
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int writer = add(batches, results.get(i));
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
        for (int order = 0; order < count; order++) {
            assertThat(own.lengths.get(order)).isEqualTo(order + 100);
        }
        for (int i = 0; i < workers; i++) {
            assertThat(results.get(i))
                    .isEqualTo(orders.get(i).stream().map(Integer::longValue).toList());
        }
    }

    private static final class Ignored implements WrittenBatches.Events {
        @Override
        public void onFull() {
            throw new AssertionError();
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void onEarly() {
            // as expected
        }

        @Override
        public void onCopied() {
            throw new AssertionError();
        }
    }
}

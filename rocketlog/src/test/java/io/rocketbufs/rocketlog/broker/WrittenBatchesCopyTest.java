package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.AtomicCells;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketnet.AtomicWord;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of batches that the broker copies between the batches that producers write. */
final class WrittenBatchesCopyTest {
    private static final int LENGTH = 1000;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final Region memory = pool.allocate(OrderWordLayout.LENGTH);
    private final AtomicCell word = AtomicCells.ofProcessor(memory, 0);
    private final RecordedEvents recorded = new RecordedEvents();
    private final List<String> events = recorded.names;
    private final FakeWriter producer = new FakeWriter(1);
    private final List<Long> results = producer.results;
    private final FakeHead head = new FakeHead(LENGTH);
    private final WrittenBatches batches = new WrittenBatches(head, true, 60_000, recorded);
    private final int writer = batches.add(producer);

    /** A batch from a producer's buffer, and its outcome. */
    private static final class Batch implements WrittenBatches.Copied {
        private final ByteBuffer content;
        private final List<String> ends = new ArrayList<>();

        private Batch(long number, int length) {
            content = FakeHead.batch(number, length);
        }

        @Override
        public ByteBuffer batch() {
            return content;
        }

        @Override
        public void onResult(long result) {
            ends.add("result " + result);
        }

        @Override
        public void onReturned() {
            ends.add("returned");
        }
    }

    /** The reasons why the log does not append a batch that its check has accepted. */
    private enum Refusal {
        OVERTAKEN_BY_A_DUPLICATE(() -> 0),
        STORAGE_FULL(() -> AppendResult.STORAGE_FULL),
        FAILURE(() -> {
            throw new IllegalStateException("the disk failed");
        });

        private final LongSupplier result;

        Refusal(LongSupplier result) {
            this.result = result;
        }
    }

    @BeforeEach
    void begin() {
        memory.window(0, OrderWordLayout.LENGTH).putLong(0, 0);
        batches.copyWith(word);
    }

    @AfterEach
    void release() {
        memory.release();
        pool.close();
    }

    /** Reserves a place as a producer does, and returns its order. */
    private int reserve(int length) {
        List<Long> before = new ArrayList<>();
        word.fetchAdd(OrderWordLayout.reservation(length), before::add);
        return OrderWordLayout.order(before.get(0));
    }

    private Batch copied(long number, int length) {
        Batch batch = new Batch(number, length);
        assertThat(batches.copy(batch)).isTrue();
        return batch;
    }

    @Test
    void shouldCopyABatchAtOnceWhenNothingIsMissing() {
        Batch batch = copied(7, 50);
        assertThat(batch.ends).containsExactly("result 0");
        assertThat(word.value()).isEqualTo(OrderWordLayout.reservation(50));
        assertThat(head.appended()).containsExactly(-7L);
        assertThat(events).containsExactly("copied");
        assertThat(batches.isCopyFree()).isTrue();
    }

    @Test
    void shouldCopyABatchWhenItsOrderIsDue() {
        int first = reserve(100);
        Batch batch = copied(7, 50);
        int last = reserve(101);
        batches.written(writer, last, 101);
        assertThat(batch.ends).isEmpty();
        assertThat(events).contains("early").doesNotContain("copied");
        assertThat(batches.isCopyFree()).isFalse();
        assertThat(batches.copy(new Batch(8, 50))).isFalse();
        batches.written(writer, first, 100);
        assertThat(batch.ends).containsExactly("result 1");
        assertThat(results).containsExactly(0L, 2L);
        assertThat(head.appended()).containsExactly(100L, -7L, 101L);
        assertThat(events).containsOnlyOnce("copied").doesNotContain("broken");
        assertThat(head.end()).isEqualTo(OrderWordLayout.position(word.value()));
        assertThat(copied(9, 50).ends).containsExactly("result 3");
    }

    @Test
    void shouldReturnTheBatchWhenItsPlaceIsNotWhereThePreviousOnesEnd() {
        word.fetchAdd(61, before -> {}); // a producer reserves a place, but writes no batch
        Batch batch = copied(7, 50);
        assertThat(batch.ends).containsExactly("returned");
        assertThat(events).containsExactly("broken");
        assertThat(head.appended()).isEmpty();
    }

    @Test
    void shouldReportAFaultOfTheCheckToTheProducerOfTheBatch() {
        head.isCheckBroken = true;
        assertThat(copied(7, 50).ends).containsExactly("result " + AppendResult.FAILED);
        head.isCheckBroken = false;
        assertThat(copied(8, 50).ends).containsExactly("result 0");
    }

    /** A producer reports that the segment is full while the broker reserves an earlier place. */
    @Test
    void shouldRememberThatTheSegmentIsFull() {
        WrittenBatches[] full = new WrittenBatches[1];
        AtomicCell racing = AtomicCells.of(new AtomicWord() {
            @Override
            public long value() {
                return word.value();
            }

            @Override
            public void fetchAdd(long addend, LongConsumer before) {
                word.fetchAdd(addend, before);
                full[0].written(0, OrderWordLayout.order(word.value()), 0);
            }

            @Override
            public void compareSwap(long expected, long desired, LongConsumer before) {
                throw new AssertionError();
            }
        });
        full[0] = new WrittenBatches(head, true, 60_000, recorded);
        full[0].add(producer);
        full[0].copyWith(racing);
        int first = reserve(100);
        Batch batch = new Batch(7, 50);
        assertThat(full[0].copy(batch)).isTrue();
        assertThat(full[0].isFull()).isTrue();
        full[0].written(0, first, 100);
        assertThat(batch.ends).containsExactly("result 1"); // there was room for this batch, but not for a later one
    }

    /** The thread that checks for a missing batch is delayed, and the next check is requested in the meantime. */
    @Test
    void shouldNotMissABatchThatHasArrivedBeforeTheCheckIsComplete() {
        Deque<Runnable> meanwhile = new ArrayDeque<>();
        WrittenBatches delayed = new WrittenBatches(head, true, 1, recorded);
        delayed.copyWith(AtomicCells.of(new AtomicWord() {
            @Override
            public long value() {
                if (!meanwhile.isEmpty()) {
                    meanwhile.remove().run();
                }
                return word.value();
            }

            @Override
            public void fetchAdd(long addend, LongConsumer before) {
                throw new AssertionError();
            }

            @Override
            public void compareSwap(long expected, long desired, LongConsumer before) {
                throw new AssertionError();
            }
        }));
        int number = delayed.add(producer);
        int first = reserve(100);
        delayed.written(number, reserve(101), 101);
        delayed.checkMissing(0);
        meanwhile.add(() -> {
            delayed.written(number, first, 100);
            delayed.checkMissing(TimeUnit.MILLISECONDS.toNanos(1));
        });
        delayed.checkMissing(1);
        assertThat(meanwhile).isEmpty();
        assertThat(results).containsExactly(0L, 1L);
        assertThat(events).doesNotContain("broken");
        assertThat(delayed.isMissing()).isFalse();
    }

    @Test
    void shouldNotCopyWithoutAccessToTheWord() {
        WrittenBatches device = new WrittenBatches(head, true, 60_000, recorded);
        assertThat(device.mayCopy()).isFalse();
        assertThat(device.copy(new Batch(7, 50))).isFalse();
        assertThat(batches.mayCopy()).isTrue();
    }

    @Test
    void shouldReserveNoPlaceForABatchThatItsCheckRefuses() {
        int first = reserve(100);
        head.checked = AppendResult.rejected(BatchVerdict.BAD_CRC);
        Batch batch = copied(7, 50);
        assertThat(batch.ends).containsExactly("result " + head.checked);
        assertThat(events).containsExactly("copied");
        assertThat(word.value()).isEqualTo(OrderWordLayout.reservation(100));
        head.checked = WrittenBatches.ACCEPTED;
        Batch next = copied(8, 50);
        batches.written(writer, first, 100);
        assertThat(next.ends).containsExactly("result 1");
        assertThat(events).doesNotContain("broken");
    }

    /** The producer's batch has already been appended, or is waiting for its predecessor. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldReturnTheBatchWhenAProducerHasTakenTheOrderOfTheBroker(int order) {
        word.fetchAdd(order * OrderWordLayout.reservation(0), before -> {});
        batches.written(writer, order, 100);
        Batch batch = copied(7, 50);
        assertThat(batch.ends).containsExactly("returned");
        assertThat(events).containsOnlyOnce("broken").doesNotContain("copied");
        assertThat(results).containsExactly(order == 0 ? 0L : AppendResult.LEASE_ENDED);
        assertThat(head.appended()).hasSize(1 - order);
    }

    @Test
    void shouldReturnTheBatchWhenTheSegmentIsFullAfterTheEarlierOnesHaveBeenAppended() {
        int first = reserve(LENGTH - 49);
        Batch batch = copied(7, 50);
        assertThat(batches.isFull()).isTrue();
        assertThat(batch.ends).isEmpty();
        assertThat(events).containsExactly("early");
        batches.written(writer, first, LENGTH - 49);
        assertThat(batch.ends).containsExactly("returned");
        assertThat(results).containsExactly(0L);
        assertThat(events).containsOnlyOnce("full").doesNotContain("broken", "copied");
        assertThat(head.appended()).hasSize(1);
    }

    @Test
    void shouldCopyABatchThatExactlyFits() {
        int first = reserve(LENGTH - 50);
        Batch batch = copied(7, 50);
        batches.written(writer, first, LENGTH - 50);
        assertThat(batch.ends).containsExactly("result 1");
        assertThat(batches.isFull()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void shouldReturnTheBatchAndAppendNothingAfterItWhenTheLogRefusesItAfterItsCheck(Refusal refusal) {
        int first = reserve(100);
        Batch batch = copied(7, 50);
        batches.written(writer, reserve(101), 101);
        head.refusal = refusal.result;
        batches.written(writer, first, 100);
        assertThat(batch.ends).containsExactly("returned");
        assertThat(results).containsExactly(0L, AppendResult.LEASE_ENDED);
        assertThat(events).containsOnlyOnce("broken").doesNotContain("copied");
        assertThat(head.appended()).containsExactly(100L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnTheBatchWhoseOrderIsNotDueAtTheEnd(boolean isBroken) {
        reserve(100);
        Batch batch = copied(7, 50);
        end(isBroken);
        assertThat(batch.ends).containsExactly("returned");
        assertThat(batches.isCopyFree()).isTrue();
        assertThat(head.appended()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnABatchWithoutReservingAPlaceAfterTheEnd(boolean isBroken) {
        end(isBroken);
        Batch batch = copied(7, 50);
        assertThat(batch.ends).containsExactly("returned");
        assertThat(word.value()).isZero();
        assertThat(head.appended()).isEmpty();
    }

    @Test
    void shouldGiveEachBatchOneOutcomeRegardlessOfTheValueOfTheWord() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            word.fetchAdd(-word.value(), before -> {});
            FakeWriter hostile = new FakeWriter(1);
            WrittenBatches changed = new WrittenBatches(new FakeHead(LENGTH), true, 60_000, new RecordedEvents());
            changed.copyWith(word);
            int number = changed.add(hostile);
            List<Batch> copies = new ArrayList<>();
            int writtenCount = 0;
            for (int step = random.nextInt(12); step >= 0; step--) {
                int length = random.nextInt(8) == 0 ? 0 : Long.BYTES + random.nextInt(300);
                int action = random.nextInt(5);
                if (action == 0) {
                    word.fetchAdd(random.nextLong() >> random.nextInt(Long.SIZE), before -> {});
                } else if (action == 1 && length > 0) {
                    Batch batch = new Batch(step, length);
                    copies.addAll(changed.copy(batch) ? List.of(batch) : List.of());
                } else {
                    int order = action == 2 ? random.nextInt(OrderWordLayout.ORDERS) : reserve(length);
                    writtenCount += changed.written(number, order, length) && length > 0 ? 1 : 0;
                }
            }
            changed.finish(() -> {});
            if (hostile.results.size() != writtenCount || copies.stream().anyMatch(each -> each.ends.size() != 1)) {
                throw new AssertionError("seed " + seed + ", input " + i + ": " + hostile.results);
            }
        }
    }

    private void end(boolean isBroken) {
        if (isBroken) {
            batches.breakOff("in this test");
            assertThat(events).containsOnlyOnce("broken");
        } else {
            batches.finish(() -> events.add("finished"));
            assertThat(events).containsOnlyOnce("finished").doesNotContain("broken");
        }
    }
}

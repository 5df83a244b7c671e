package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.AtomicCells;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(600)
final class CopiedBatchTest {
    private static final ByteBuffer BATCH = FakeHead.batch(1, Long.BYTES);
    private static final long OFFSET = 42;

    private final AtomicInteger calls = new AtomicInteger();
    private final CopiedBatch copied = new CopiedBatch(waiter(calls::incrementAndGet));

    /** The possible outcomes of a batch that a lease has accepted. */
    private enum End {
        APPENDED(CopiedBatch.State.DONE) {
            @Override
            void of(WrittenBatches.Copied batch) {
                batch.onResult(OFFSET);
            }
        },
        RETURNED(CopiedBatch.State.NONE) {
            @Override
            void of(WrittenBatches.Copied batch) {
                batch.onReturned();
            }
        };

        private final CopiedBatch.State state;

        End(CopiedBatch.State state) {
            this.state = state;
        }

        abstract void of(WrittenBatches.Copied batch);
    }

    private static AppendTurn.Waiter waiter(Runnable onTurn) {
        return new AppendTurn.Waiter() {
            @Override
            void onTurn() {
                onTurn.run();
            }
        };
    }

    @Test
    void shouldAppendTheBatchInAnotherWayWhenNoLeaseTakesIt() {
        assertThat(copied.offer(null, BATCH)).isEqualTo(CopiedBatch.State.NONE);
        assertThat(copied.offer(batch -> false, BATCH)).isEqualTo(CopiedBatch.State.NONE);
        assertThat(copied.isDone()).isFalse();
        assertThat(calls).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldReturnTheEndAndNotCallTheProducerWhenTheBatchEndsAtOnce(End end) {
        CopiedBatch.State state = copied.offer(
                batch -> {
                    end.of(batch);
                    return true;
                },
                BATCH);
        assertThat(state).isEqualTo(end.state);
        assertEnded(end);
        assertThat(calls).hasValue(0);
    }

    /**
     * A producer must wait for the callback even if the batch is already done. Otherwise, the late callback would make
     * it overwrite its next batch while another thread copies that batch.
     */
    @ParameterizedTest
    @EnumSource(End.class)
    void shouldCallTheProducerOnceWhenTheBatchEndsLater(End end) {
        List<WrittenBatches.Copied> taken = new ArrayList<>();
        assertThat(copied.offer(taken::add, BATCH)).isEqualTo(CopiedBatch.State.WAITS);
        assertThat(taken)
                .singleElement()
                .extracting(WrittenBatches.Copied::batch)
                .isSameAs(BATCH);
        assertThat(copied.isDone()).isFalse();
        assertThat(calls).hasValue(0);
        end.of(taken.get(0));
        assertEnded(end);
        assertThat(calls).hasValue(1);
    }

    private void assertEnded(End end) {
        assertThat(copied.isDone()).isEqualTo(end == End.APPENDED);
        if (end == End.APPENDED) {
            assertThat(copied.takeResult()).isEqualTo(OFFSET);
            assertThat(copied.isDone()).isFalse();
        }
    }

    /** Producers reuse the memory of a batch as soon as possible, while other producers write. */
    @Test
    void shouldCopyEachBatchOnceWhileOthersWrite() throws InterruptedException {
        int count = 10_000;
        MemoryPool pool = new MemoryPool(1 << 16);
        Region memory = pool.allocate(OrderWordLayout.LENGTH);
        memory.window(0, OrderWordLayout.LENGTH).putLong(0, 0);
        AtomicCell word = AtomicCells.ofProcessor(memory, 0);
        FakeHead head = new FakeHead(Long.MAX_VALUE);
        WrittenBatches batches = new WrittenBatches(head, true, 60_000, new UnbrokenEvents());
        batches.copyWith(word);
        List<Copier> copiers = List.of(new Copier(batches, 1_000_000, count), new Copier(batches, 2_000_000, count));
        Thread writer = new Thread(() -> write(batches, word, count));
        writer.start();
        copiers.forEach(Thread::start);
        writer.join();
        for (Copier each : copiers) {
            each.join();
        }
        assertThat(head.end()).isEqualTo(OrderWordLayout.position(word.value()));
        memory.release();
        pool.close();
        assertThat(head.count()).isEqualTo(3 * count);
        for (Copier each : copiers) {
            assertThat(each.offsets.stream().map(offset -> -head.appended().get(offset.intValue())))
                    .isEqualTo(LongStream.range(each.first, each.first + count)
                            .boxed()
                            .toList());
            assertThat(each.turn.availablePermits()).isZero();
        }
    }

    private static void write(WrittenBatches batches, AtomicCell word, int count) {
        CountingWriter writer = new CountingWriter();
        int number = batches.add(writer);
        for (int i = 0; i < count; i++) {
            writer.await(i - 4);
            word.fetchAdd(
                    OrderWordLayout.reservation(100),
                    before -> batches.written(number, OrderWordLayout.order(before), 100));
        }
        writer.await(count);
    }

    private static final class CountingWriter implements WrittenBatches.Writer {
        private final AtomicInteger results = new AtomicInteger();

        private void await(int count) {
            while (results.get() < count) {
                Thread.yield();
            }
        }

        @Override
        public long producerId() {
            return 1;
        }

        @Override
        public void onResult(long result, long nextOffset) {
            results.incrementAndGet();
        }

        @Override
        public void execute(Runnable task) {
            ForkJoinPool.commonPool().execute(task);
        }
    }

    /** A thread that copies batches as the broker does for a producer's buffer. */
    private static final class Copier extends Thread {
        private final WrittenBatches batches;
        private final long first;
        private final int count;
        private final Semaphore turn = new Semaphore(0);
        private final CopiedBatch copied = new CopiedBatch(waiter(turn::release));
        private final ByteBuffer memory = ByteBuffer.allocate(Long.BYTES);
        private final List<Long> offsets = new ArrayList<>();

        private Copier(WrittenBatches batches, long first, int count) {
            this.batches = batches;
            this.first = first;
            this.count = count;
        }

        @Override
        public void run() {
            for (int i = 0; i < count; i++) {
                memory.putLong(0, first + i);
                while (!isCopied()) {
                    Thread.yield(); // another batch is being copied
                }
                offsets.add(copied.takeResult());
            }
        }

        private boolean isCopied() {
            CopiedBatch.State state = copied.offer(batches::copy, memory);
            if (state == CopiedBatch.State.WAITS) {
                turn.acquireUninterruptibly();
            }
            return copied.isDone();
        }
    }
}

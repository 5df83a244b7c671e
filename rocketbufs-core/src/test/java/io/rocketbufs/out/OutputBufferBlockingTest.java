package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.util.HashSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class OutputBufferBlockingTest {
    private static final int CAPACITY = 100;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private OutputBuffer buffer = buffer(64, null);
    private final StubSubscriber reader = new StubSubscriber(pool, worker);
    private Thread waiting;

    private OutputBuffer buffer(int recordCount, BiConsumer<Object, DataOutStatus> sink) {
        BufferOptions terms =
                new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1000, 1000, false, false, 4096, 0, false);
        BufferOptions options =
                terms.withRecordCount(recordCount).withDiscardable(false).withHold(false);
        return new OutputBuffer(
                1, pool.allocate(CAPACITY), CAPACITY, options, sink, worker::inWorker, () -> {}, new HashSet<>());
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void deliver(int length) {
        long position = buffer.reserve(length);
        assertThat(position).isNotNegative();
        buffer.deliver(position, length, length, null);
        worker.run();
    }

    /** Reserves space on a separate thread. Returns when that thread is sleeping. */
    private CompletableFuture<Long> reserveAsleep(int length) {
        CompletableFuture<Long> reserved = new CompletableFuture<>();
        waiting = new Thread(() -> {
            try {
                reserved.complete(buffer.reserveBlocking(length));
            } catch (InterruptedException | RuntimeException e) {
                reserved.completeExceptionally(e);
            }
        });
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        assertThat(reserved).isNotDone();
        return reserved;
    }

    @Test
    void shouldNotWaitWhenThereIsSpace() throws Exception {
        assertThat(buffer.reserveBlocking(CAPACITY)).isZero();
    }

    @Test
    void shouldWaitForSpace() throws Exception {
        reader.to(buffer.fanout(), 1000).stopped();
        deliver(CAPACITY);
        CompletableFuture<Long> reserved = reserveAsleep(60);
        reader.goOn();
        assertThat(reserved.get(60, TimeUnit.SECONDS)).isEqualTo(CAPACITY);
    }

    @Test
    void shouldSleepWhileThereIsNoRecord() throws Exception {
        buffer = buffer(4, (context, status) -> {});
        reader.to(buffer.fanout(), 1000).stopped();
        deliver(1);
        deliver(1);
        deliver(1);
        deliver(1);
        CompletableFuture<Long> reserved = reserveAsleep(1);
        reader.goOn();
        assertThat(reserved.get(60, TimeUnit.SECONDS)).isEqualTo(4);
    }

    @Test
    void shouldSleepWhileReportsArePending() throws Exception {
        buffer = buffer(4, (context, status) -> {});
        reader.to(buffer.fanout(), 1000).answer = PostResult.POSTED;
        deliver(1);
        deliver(1);
        deliver(1);
        deliver(1);
        reader.endpoint.completed(4);
        CompletableFuture<Long> reserved = reserveAsleep(1);
        worker.run();
        assertThat(reserved.get(60, TimeUnit.SECONDS)).isEqualTo(4);
    }

    @Test
    void shouldReturnAtTheEnd() throws Exception {
        reader.to(buffer.fanout(), 1000).stopped();
        deliver(CAPACITY);
        CompletableFuture<Long> reserved = reserveAsleep(1);
        buffer.end();
        assertThat(reserved.get(60, TimeUnit.SECONDS)).isEqualTo(OutputBuffer.CLOSED);
    }

    /** A reader in the producer's way, which ends itself and the buffer when a producer that has waited tries again. */
    private final class EndingReader extends Expected {
        private boolean isWaiting;

        EndingReader(long position) {
            super(buffer.fanout(), buffer.fanout().log(), null, position);
        }

        @Override
        long position() {
            boolean triesAgain = isWaiting && buffer.awaited() == 0;
            isWaiting = buffer.awaited() > 0;
            if (triesAgain) {
                end();
                buffer.end();
            }
            return super.position();
        }
    }

    @Test
    void shouldReturnIfTheBufferEndsDuringTheNextAttempt() throws Exception {
        buffer.fanout().enter(EndingReader::new);
        deliver(CAPACITY);
        assertThat(buffer.reserveBlocking(60)).isEqualTo(OutputBuffer.CLOSED);
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldReturnWhenInterrupted() {
        reader.to(buffer.fanout(), 1000).stopped();
        deliver(CAPACITY);
        CompletableFuture<Long> reserved = reserveAsleep(1);
        waiting.interrupt();
        assertThatThrownBy(() -> reserved.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(buffer.reserve(1)).isEqualTo(OutputBuffer.NO_SPACE);
    }

    @Test
    void shouldContinueWhenTheBlockingSubscriberIsLost() throws Exception {
        reader.to(buffer.fanout(), 1000).stopped();
        deliver(CAPACITY);
        CompletableFuture<Long> reserved = reserveAsleep(1);
        reader.subscription.cut();
        assertThat(reserved.get(60, TimeUnit.SECONDS)).isEqualTo(CAPACITY);
    }

    @Test
    void shouldRefuseToWaitForTheCallersOwnReservations() throws Exception {
        buffer.reserve(50);
        assertThat(buffer.reserveBlocking(50)).isEqualTo(50);
        assertThatThrownBy(() -> buffer.reserveBlocking(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("openReservations=2");
    }

    @Test
    void shouldRefuseToWaitForRecordsThatTheCallersOwnReservationsNeed() throws Exception {
        for (int i = 0; i < 64; i++) {
            buffer.reserve(1);
        }
        assertThatThrownBy(() -> buffer.reserveBlocking(1)).hasMessageContaining("openReservations=64");
        buffer = buffer(4, (context, status) -> {});
        while (buffer.reserve(1) >= 0) {
            continue;
        }
        assertThatThrownBy(() -> buffer.reserveBlocking(1)).hasMessageContaining("openReservations=4");
    }

    @Test
    void shouldRefuseToWaitOnAWorker() {
        reader.to(buffer.fanout(), 1000).stopped();
        deliver(CAPACITY);
        assertThatThrownBy(() -> worker.run(() -> {
                    try {
                        buffer.reserveBlocking(1);
                    } catch (InterruptedException e) {
                        throw new CompletionException(e);
                    }
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a worker must not block");
    }
}

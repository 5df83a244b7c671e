package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that no work is lost if threads compete for the sending side, records run out, or callbacks throw exceptions.
 */
@Timeout(600)
final class SendingTroubleTest {
    private static final int CAPACITY = 100;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final StubWorker worker = new StubWorker();
    private boolean drained;

    private OutputBuffer buffer(
            boolean flow, SlowPolicy policy, int records, boolean separate, BiConsumer<Object, DataOutStatus> sink) {
        BufferOptions terms = new BufferOptions(flow, true, policy, 75, 1000, 1000, false, false, 4096, 0, false);
        BufferOptions options =
                terms.withRecordCount(records).withDiscardable(separate).withHold(false);
        return new OutputBuffer(
                1,
                pool.allocate(CAPACITY),
                CAPACITY,
                options,
                sink,
                () -> false,
                () -> drained = true,
                new HashSet<>());
    }

    private void deliver(OutputBuffer buffer, int length) {
        long position = buffer.reserve(length);
        assertThat(position).isNotNegative();
        buffer.deliver(position, length, length, null);
    }

    @Test
    void shouldNotRunOutOfRecordsWhenAnOverwritingBufferHasASlowSubscriber() {
        OutputBuffer buffer = buffer(false, SlowPolicy.BLOCK, 8, true, null);
        new StubSubscriber(pool, worker).to(buffer.fanout(), 1000).stopped();
        for (int i = 0; i < 50; i++) {
            worker.run();
            deliver(buffer, 1);
        }
    }

    @Test
    void shouldSkipWhenRecordsRunOut() {
        OutputBuffer buffer = buffer(true, SlowPolicy.SKIP, 8, true, null);
        new StubSubscriber(pool, worker)
                .to(buffer.fanout(), 1000, SlowPolicy.SKIP)
                .stopped();
        for (int i = 0; i < 50; i++) {
            worker.run();
            deliver(buffer, 1);
        }
    }

    @Test
    void shouldSkipEvenIfAnotherThreadIsSending() {
        OutputBuffer buffer = buffer(true, SlowPolicy.SKIP, 64, false, null);
        StubSubscriber reader = new StubSubscriber(pool, worker).to(buffer.fanout(), 50, SlowPolicy.SKIP);
        deliver(buffer, 50);
        worker.run();
        deliver(buffer, 50);
        worker.run(); // parked: no credit
        AtomicBoolean once = new AtomicBoolean();
        List<ControlType> said = new ArrayList<>();
        reader.connection.onSend(message -> {
            said.add(ControlType.of(message.get(message.position())));
            if (once.compareAndSet(false, true)) {
                // Runs on the producer's thread while the worker is in the system call.
                CompletableFuture.runAsync(() -> buffer.reserve(60)).join();
            }
            return PostResult.SENT;
        });
        worker.run(() -> reader.endpoint.sendControl(ByteBuffer.allocate(1)));
        worker.run();
        assertThat(said).contains(ControlType.GAP);
        assertThat(reader.subscription.pendingLength()).isZero();
    }

    @Test
    void shouldSendDataDeliveredAfterASkipThatAnotherThreadPrevented() {
        OutputBuffer buffer = buffer(false, SlowPolicy.BLOCK, 64, false, null);
        StubSubscriber reader = new StubSubscriber(pool, worker).to(buffer.fanout(), 1000);
        reader.answer = PostResult.POSTED;
        deliver(buffer, 60);
        worker.run();
        AtomicBoolean once = new AtomicBoolean();
        reader.connection.onSend(message -> {
            if (once.compareAndSet(false, true)) {
                CompletableFuture.runAsync(() -> assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING))
                        .join();
            }
            return PostResult.SENT;
        });
        worker.run(() -> reader.endpoint.sendControl(ByteBuffer.allocate(1)));
        // The producer cancels the long reservation, and delivers a short one.
        deliver(buffer, 10);
        worker.run();
        assertThat(reader.bytes.size()).isEqualTo(70);
    }

    @Test
    void shouldContinueSendingWhenASpaceCallbackThrows() {
        OutputBuffer buffer = buffer(true, SlowPolicy.SKIP, 64, false, null);
        AtomicBoolean angry = new AtomicBoolean(true);
        buffer.setSpaceCallback(() -> {
            if (angry.get()) {
                throw new IllegalStateException("thrown by the application");
            }
        });
        StubSubscriber reader = new StubSubscriber(pool, worker).to(buffer.fanout(), 1000, SlowPolicy.SKIP);
        reader.answer = PostResult.POSTED;
        deliver(buffer, 90);
        worker.run();
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.NO_SPACE); // the write cannot be withdrawn
        reader.connection.withdrawn(1);
        try {
            buffer.reserve(60);
        } catch (IllegalStateException e) {
            // Thrown by the application.
        }
        angry.set(false);
        reader.goOn();
        deliver(buffer, 5);
        worker.run();
        assertThat(reader.bytes.size()).isEqualTo(95);
    }

    @Test
    void shouldDrainARemovedBufferEvenIfADataOutCallbackThrows() {
        BufferOptions terms =
                new BufferOptions(true, true, SlowPolicy.BLOCK, 75, 1000, 1000, false, false, 4096, 0, false);
        OutputBuffer buffer = new OutputBuffer(
                1,
                pool.allocate(CAPACITY),
                CAPACITY,
                terms.withRecordCount(64).withDiscardable(false).withHold(true),
                (context, status) -> {
                    throw new IllegalStateException("thrown by the application");
                },
                () -> false,
                () -> drained = true,
                new HashSet<>());
        deliver(buffer, 10);
        try {
            buffer.end();
        } catch (IllegalStateException e) {
            // Thrown by the application.
        }
        assertThat(drained).isTrue();
    }

    @Test
    void shouldContinueToReportWhenADataOutCallbackThrowsAnError() {
        AtomicBoolean angry = new AtomicBoolean(true);
        OutputBuffer buffer = buffer(true, SlowPolicy.BLOCK, 4, false, (context, status) -> {
            if (angry.get()) {
                throw new AssertionError("thrown by the application");
            }
        });
        new StubSubscriber(pool, worker).to(buffer.fanout(), 1000);
        deliver(buffer, 1);
        assertThatThrownBy(worker::run).hasMessage("thrown by the application");
        angry.set(false);
        for (int i = 0; i < 8; i++) {
            deliver(buffer, 1);
            worker.run();
        }
    }

    @Test
    void shouldEndAFlushThatBeginsAfterALoss() {
        OutputBuffer buffer = buffer(true, SlowPolicy.BLOCK, 64, false, null);
        StubSubscriber lost = new StubSubscriber(pool, worker).to(buffer.fanout(), 1000);
        deliver(buffer, 10);
        worker.run();
        lost.subscription.cut();
        StubSubscriber next = new StubSubscriber(pool, worker).to(buffer.fanout(), 1000);
        deliver(buffer, 10);
        CompletableFuture<Void> flushed = buffer.fanout().flush();
        worker.run();
        next.consumeAll();
        worker.run();
        assertThat(flushed).isDone();
    }

    @Test
    void shouldAskForCreditAgainWhenAnUpdateArrivesBeforeTheTaskRests() {
        OutputBuffer buffer = buffer(true, SlowPolicy.BLOCK, 64, true, null);
        StubSubscriber reader = new StubSubscriber(pool, worker).to(buffer.fanout(), 100);
        deliver(buffer, 30);
        worker.run();
        buffer.fanout().flush(); // STARVING 30
        List<ControlType> said = new ArrayList<>();
        AtomicBoolean once = new AtomicBoolean();
        reader.connection.onSend(message -> {
            ControlType type = ControlType.of(message.get(message.position()));
            said.add(type);
            if (type == ControlType.STARVING && once.compareAndSet(false, true)) {
                // The peer stores the lowest request, for position 30, answers it, and drops the request made here.
                // Another thread reads the answer before this thread, which is making a delivery, continues.
                reader.subscription.onCredit(30);
            }
            return PostResult.SENT;
        });
        deliver(buffer, 20);
        worker.run();
        deliver(buffer, 90); // 50 are sent and 30 are known to be consumed, so a report of 40 is needed
        worker.run();
        // The peer consumes all 50 bytes but sends no unsolicited report, because 20 is less than a quarter of the
        // capacity.
        assertThat(said).containsExactly(ControlType.STARVING, ControlType.STARVING);
    }

    @Test
    void shouldDisconnectASubscriberOnce() {
        OutputBuffer buffer = buffer(true, SlowPolicy.DISCONNECT, 64, false, null);
        new StubSubscriber(pool, worker)
                .to(buffer.fanout(), 1000, SlowPolicy.DISCONNECT)
                .stopped();
        deliver(buffer, 90);
        worker.run();
        for (int i = 0; i < 1000; i++) {
            buffer.reserve(60);
        }
        assertThat(worker.taskCount()).isLessThan(5);
    }
}

package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.link.ConnectionCredit;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of buffers that have more space than their connection has credit. */
@Timeout(600)
class OutputBufferCreditTest {
    private static final int MINIMUM = (int) ConnectionCredit.MINIMUM;
    private static final int LIMIT = 4 * MINIMUM;
    private static final int CAPACITY = 16 * MINIMUM;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubSubscriber peer =
            new StubSubscriber(pool, worker, StubTransport.socket(Integer.MAX_VALUE), LIMIT);
    private final List<OutputBuffer> buffers = new ArrayList<>();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final List<Integer> notified = new ArrayList<>();

    @AfterEach
    void closePool() {
        pool.close();
    }

    private OutputBuffer open() {
        return open(BufferOptions.DEFAULTS, SlowPolicy.BLOCK);
    }

    private OutputBuffer open(BufferOptions options, SlowPolicy policy) {
        int id = buffers.size();
        OutputBuffer buffer = new OutputBuffer(
                id, pool.allocate(CAPACITY), CAPACITY, options, null, worker::inWorker, () -> {}, new HashSet<>());
        buffers.add(buffer);
        subscriptions.add(peer.to(buffer.fanout(), CAPACITY, policy).subscription);
        return buffer;
    }

    private boolean deliver(int index, int length) {
        OutputBuffer buffer = buffers.get(index);
        long position = buffer.reserve(length);
        if (position < 0) {
            assertThat(position).isEqualTo(OutputBuffer.NO_SPACE);
            return false;
        }
        buffer.deliver(position, length, length, null);
        worker.run();
        return true;
    }

    private void consumeAll(int index) {
        worker.run();
        Subscription subscription = subscriptions.get(index);
        subscription.onCredit(subscription.state().sentLength());
        worker.run();
    }

    private long used() {
        return peer.endpoint.link().credit().used();
    }

    /** Opens two buffers, the first of which has used up the credit because its reader has stopped. */
    private void openBehindAStoppedReader() {
        open();
        open();
        assertThat(deliver(0, LIMIT + 1)).isTrue();
    }

    @Test
    void shouldNotLimitASingleBuffer() {
        open();
        for (int i = 0; i < CAPACITY; i += MINIMUM) {
            assertThat(deliver(0, MINIMUM)).isTrue();
        }
        assertThat(used()).isZero();
        assertThat(peer.controls).doesNotContain(ControlType.FLUSH, ControlType.STARVING);
    }

    @Test
    void shouldLimitSeveralBuffersTogether() {
        for (int i = 0; i < 100; i++) {
            open();
        }
        long delivered = 0;
        for (boolean any = true; any; ) {
            any = false;
            for (int i = 0; i < 100; i++) {
                if (deliver(i, 2000)) {
                    any = true;
                    delivered += 2000;
                }
            }
        }
        assertThat(delivered).isBetween((long) LIMIT, LIMIT + 100L * (MINIMUM + 2000));
        assertThat(used()).isEqualTo(delivered);
    }

    @Test
    void shouldRefuseABufferThatHasUsedItsMinimumUntilAllIsConsumed() {
        openBehindAStoppedReader();
        assertThat(deliver(1, MINIMUM - 1)).isTrue();
        assertThat(deliver(1, 1)).isTrue();
        assertThat(deliver(1, 1)).isFalse();
        assertThat(buffers.get(1).state(1).refusedCount()).isEqualTo(1);
        consumeAll(1);
        assertThat(deliver(1, MINIMUM)).isTrue();
    }

    @Test
    void shouldRestartAtTheFirstByteWhenAllIsConsumed() {
        openBehindAStoppedReader();
        for (int i = 0; i < 50; i++) {
            long position = buffers.get(1).reserve(MINIMUM + 3);
            assertThat(buffers.get(1).memory().offset(position)).isZero();
            buffers.get(1).deliver(position, MINIMUM + 3, MINIMUM + 3, null);
            assertThat(deliver(1, 1)).isFalse();
            consumeAll(1);
        }
    }

    @Test
    void shouldNotStopAThousandBuffersForOneStoppedReader() {
        openBehindAStoppedReader();
        for (int i = 2; i < 1000; i++) {
            open();
        }
        for (int round = 0; round < 5; round++) {
            for (int i = 1; i < 1000; i++) {
                assertThat(deliver(i, MINIMUM))
                        .as("round %d buffer %d", round, i)
                        .isTrue();
                consumeAll(i);
            }
        }
        assertThat(used()).isEqualTo(LIMIT + 1);
    }

    @Test
    void shouldAcceptADeliveryOfTheWholeCapacityAfterARest() {
        openBehindAStoppedReader();
        assertThat(deliver(1, CAPACITY)).isTrue();
        assertThat(deliver(1, 1)).isFalse();
        consumeAll(1);
        assertThat(deliver(1, CAPACITY)).isTrue();
    }

    @Test
    void shouldRequestAReportOfWhatTheProducerWaitsFor() {
        openBehindAStoppedReader();
        peer.controls.clear();
        peer.asked.clear();
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        assertThat(deliver(1, 1)).isFalse();
        assertThat(peer.controls).containsExactly(ControlType.FLUSH);
        assertThat(peer.asked).containsExactly((long) MINIMUM);
    }

    /** Covers an urgent request, which makes the peer apply the policies for its own slow subscriptions. */
    @Test
    void shouldRequestItUrgentlyWhenNothingIsConsumed() {
        openBehindAStoppedReader();
        deliver(1, MINIMUM);
        tick(1, 4);
        assertThat(peer.controls).doesNotContain(ControlType.STARVING);
        tick(1, 10);
        assertThat(peer.controls).containsOnlyOnce(ControlType.STARVING);
    }

    @Test
    void shouldStayUrgentForAWhile() {
        openBehindAStoppedReader();
        deliver(1, MINIMUM);
        tick(1, 5);
        peer.controls.clear();
        for (int i = 0; i < 3; i++) {
            consumeAll(1);
            deliver(1, MINIMUM);
            assertThat(deliver(1, 1)).isFalse();
        }
        assertThat(peer.controls.stream().filter(ControlType.STARVING::equals)).hasSize(3);
        for (int i = 0; i < 60; i++) {
            consumeAll(1);
            deliver(1, 100);
            tick(1, 1);
        }
        consumeAll(1);
        peer.controls.clear();
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        assertThat(peer.controls).containsExactly(ControlType.FLUSH);
    }

    private void tick(int index, int count) {
        for (int i = 0; i < count; i++) {
            subscriptions.get(index).tick(250);
        }
    }

    @Test
    void shouldNotifyAProducerWhenItsOwnReaderHasConsumed() {
        openBehindAStoppedReader();
        buffers.get(1).setSpaceCallback(() -> notified.add(1));
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        assertThat(notified).isEmpty();
        consumeAll(1);
        assertThat(notified).containsExactly(1);
        assertThat(deliver(1, 1)).isTrue();
    }

    @Test
    void shouldNotifyProducersWhenTheReaderOfAnotherBufferHasConsumed() {
        openBehindAStoppedReader();
        open();
        for (int i = 1; i < 3; i++) {
            int id = i;
            buffers.get(i).setSpaceCallback(() -> notified.add(id));
            deliver(i, MINIMUM);
            assertThat(deliver(i, 1)).isFalse();
        }
        consumeAll(0);
        assertThat(notified).containsExactlyInAnyOrder(1, 2);
        assertThat(deliver(1, 1)).isTrue();
        assertThat(deliver(2, 1)).isTrue();
    }

    @Test
    void shouldWakeABlockedProducer() throws Exception {
        openBehindAStoppedReader();
        deliver(1, MINIMUM);
        CompletableFuture<Long> reserved = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                reserved.complete(buffers.get(1).reserveBlocking(1));
            } catch (InterruptedException | RuntimeException e) {
                reserved.completeExceptionally(e);
            }
        });
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        assertThat(reserved).isNotDone();
        consumeAll(1);
        assertThat(reserved.get(60, TimeUnit.SECONDS)).isEqualTo(MINIMUM);
    }

    @Test
    void shouldEndTheWaitWhenTheBufferIsRemoved() {
        openBehindAStoppedReader();
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        buffers.get(1).end();
        assertThat(buffers.get(1).reserve(1)).isEqualTo(OutputBuffer.CLOSED);
    }

    @Test
    void shouldReturnTheCreditOfASubscriptionThatHasEnded() {
        openBehindAStoppedReader();
        buffers.get(1).setSpaceCallback(() -> notified.add(1));
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        subscriptions.get(0).onUnsubscribe();
        worker.run();
        assertThat(notified).containsExactly(1);
        assertThat(used()).isEqualTo(MINIMUM);
        assertThat(deliver(1, 1)).isTrue();
    }

    @Test
    void shouldReturnAllCreditWhenTheConnectionIsLost() {
        openBehindAStoppedReader();
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        subscriptions.forEach(Subscription::cut);
        assertThat(used()).isZero();
        assertThat(deliver(1, CAPACITY)).isTrue();
        assertThat(deliver(0, CAPACITY)).isTrue();
    }

    @Test
    void shouldNotWaitForAConnectionWithoutSuchBuffers() {
        openBehindAStoppedReader();
        StubSubscriber other = new StubSubscriber(pool, worker, StubTransport.socket(Integer.MAX_VALUE), LIMIT);
        OutputBuffer elsewhere = new OutputBuffer(
                7,
                pool.allocate(CAPACITY),
                CAPACITY,
                BufferOptions.DEFAULTS,
                null,
                () -> false,
                () -> {},
                new HashSet<>());
        buffers.add(elsewhere);
        other.to(elsewhere.fanout(), CAPACITY);
        for (int i = 0; i < CAPACITY; i += MINIMUM) {
            assertThat(deliver(2, MINIMUM)).isTrue();
        }
    }

    @Test
    void shouldWaitForEachConnectionThatHasNoCredit() {
        openBehindAStoppedReader();
        StubSubscriber other = new StubSubscriber(pool, worker, StubTransport.socket(Integer.MAX_VALUE), LIMIT);
        Subscription second = other.to(buffers.get(1).fanout(), CAPACITY).subscription;
        other.to(buffers.get(0).fanout(), CAPACITY);
        other.consumeAll();
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        second.onCredit(second.state().sentLength());
        assertThat(deliver(1, 1)).isFalse();
        consumeAll(1);
        assertThat(deliver(1, 1)).isTrue();
    }

    @Test
    void shouldNotLimitAnOverwritingBuffer() {
        openBehindAStoppedReader();
        open(BufferOptions.DEFAULTS.withFlowControl(false), SlowPolicy.BLOCK);
        long before = used();
        for (int i = 0; i < 5 * CAPACITY; i += MINIMUM) {
            assertThat(deliver(2, MINIMUM)).isTrue();
        }
        assertThat(used()).isEqualTo(before);
    }

    /** Checks that the producer is not notified immediately, because few waiting producers would find credit. */
    @Test
    void shouldNotifyAProducerOfLessThanAQuarterOfTheCreditAtTheNextTick() {
        for (int i = 0; i < 3; i++) {
            open();
        }
        deliver(0, 3 * MINIMUM);
        deliver(2, MINIMUM);
        buffers.get(1).setSpaceCallback(() -> notified.add(1));
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        consumeAll(2);
        assertThat(notified).isEmpty();
        tick(1, 1);
        assertThat(notified).containsExactly(1);
        assertThat(deliver(1, 1)).isTrue();
    }

    @Test
    void shouldNotifyAProducerLaterWhenAnotherOneTakesAllCreditFirst() {
        openBehindAStoppedReader();
        open();
        buffers.get(1).setSpaceCallback(() -> notified.add(1));
        buffers.get(2).setSpaceCallback(() -> {
            long position = buffers.get(2).reserve(LIMIT);
            buffers.get(2).deliver(position, LIMIT, LIMIT, null);
            notified.add(2);
        });
        for (int i = 1; i < 3; i++) {
            deliver(i, MINIMUM);
            assertThat(deliver(i, 1)).isFalse();
        }
        consumeAll(0);
        assertThat(notified).containsExactly(2);
        consumeAll(2);
        assertThat(notified).containsExactly(2, 1);
        assertThat(deliver(1, 1)).isTrue();
    }

    /** Covers a buffer that has space for the segment even though less than half of the buffer is free. */
    @Test
    void shouldNotifyAProducerWhoseBufferIsMoreThanHalfFull() {
        openBehindAStoppedReader();
        StubSubscriber other = new StubSubscriber(pool, worker, StubTransport.socket(Integer.MAX_VALUE), LIMIT);
        other.to(buffers.get(1).fanout(), CAPACITY);
        other.stopped();
        buffers.get(1).setSpaceCallback(() -> notified.add(1));
        deliver(1, CAPACITY / 2 + MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        consumeAll(1);
        assertThat(notified).containsExactly(1);
        assertThat(deliver(1, 1)).isTrue();
    }

    // Policies.

    @Test
    void shouldNotLetASubscriptionSkipForTheCreditOfAnotherConnection() {
        openBehindAStoppedReader();
        StubSubscriber other = new StubSubscriber(pool, worker, StubTransport.socket(Integer.MAX_VALUE), LIMIT);
        other.to(buffers.get(1).fanout(), CAPACITY, SlowPolicy.SKIP);
        other.stopped();
        deliver(1, MINIMUM);
        assertThat(deliver(1, 1)).isFalse();
        other.goOn();
        assertThat(other.subscription.state().lostLength()).isZero();
        assertThat(other.subscription.state().sentLength()).isEqualTo(MINIMUM);
    }

    @Test
    void shouldLetASubscriptionThatSkipsGiveWay() {
        openBehindAStoppedReader();
        open(BufferOptions.DEFAULTS, SlowPolicy.SKIP);
        peer.stopped();
        for (int i = 0; i < 20; i++) {
            assertThat(deliver(2, MINIMUM)).isTrue();
        }
        peer.goOn();
        assertThat(subscriptions.get(2).state().lostLength()).isPositive();
    }

    @Test
    void shouldDisconnectASubscriptionThatExceedsTheLagLimit() {
        openBehindAStoppedReader();
        open(BufferOptions.DEFAULTS.withLagLimits(MINIMUM, 60_000), SlowPolicy.DISCONNECT);
        peer.stopped();
        assertThat(deliver(2, MINIMUM + 1)).isTrue();
        assertThat(peer.failure).isNull();
        deliver(2, 1);
        worker.run();
        assertThat(peer.endpoint.isClosed() || peer.failure != null).isTrue();
    }

    @Test
    void shouldNotStopForAReceiverThatKeepsTheLastDelivery() {
        openBehindAStoppedReader();
        deliver(1, MINIMUM);
        consumeAll(1);
        deliver(1, 2 * MINIMUM);
        for (int i = 0; i < 10; i++) {
            assertThat(deliver(1, 2 * MINIMUM)).isFalse();
            subscriptions.get(1).tick(250);
            long before = subscriptions.get(1).state().sentLength();
            assertThat(deliver(1, 2 * MINIMUM)).isTrue();
            subscriptions.get(1).onCredit(before);
        }
    }

    @Test
    void shouldRequestReportsFromABufferWhoseProducerIsIdle() {
        openBehindAStoppedReader();
        peer.asked.clear();
        tick(0, 5);
        worker.run();
        assertThat(peer.asked).containsExactly(LIMIT + 1L);
    }
}

package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.Connection;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.SubscribeOptions;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a spliced buffer ends with its input: subscribers receive the remaining data and then the end, which frees
 * the memory and the id.
 */
class SpliceEndContract {
    /** Options that send each delivery separately, so that buffers fill up exactly. */
    private static final BufferOptions APART = BufferOptions.DEFAULTS.withCoalescing(false);

    private static final BufferOptions DEFAULTS = BufferOptions.DEFAULTS;

    private final Stage stage;
    private SpliceFixture relay;
    private Sent sent;
    private Received arriving;

    SpliceEndContract(Stage stage) {
        this.stage = stage;
    }

    /** An action that ends the publisher's buffer. */
    private enum End {
        REMOVED(relay -> relay.publishing().out().removeBuffer(1)),
        CLOSED(relay -> relay.toBroker().close()),
        LOST(relay -> relay.publishing().kill());

        private final Consumer<SpliceFixture> act;

        End(Consumer<SpliceFixture> act) {
            this.act = act;
        }
    }

    static Stream<Arguments> endsAndPolicies() {
        return Stream.of(End.values())
                .flatMap(end -> Stream.of(SlowPolicy.values()).map(policy -> Arguments.of(end, policy)));
    }

    @BeforeEach
    void open() {
        relay = new SpliceFixture(stage);
        sent = relay.publish(1, 1000, APART);
    }

    private Received hold(long capacity, SlowPolicy policy) {
        Received slow = relay.of(1).holding();
        return slow.subscribe(capacity, SubscribeOptions.DEFAULTS.withSlowPolicy(policy));
    }

    private void end(End end) {
        stage.expectFailures(end == End.LOST);
        end.act.accept(relay);
        arriving.awaitEnd();
    }

    /** Waits until a subscriber's buffer is full. On a busy machine, the time limit may be exceeded before. */
    private static void awaitFullOrEnded(Received slow) {
        eventually(() -> slow.position() == 1000 || slow.isEnded(), slow::toString);
    }

    private void awaitAllFree() {
        eventually(
                () -> relay.broker().rocketBufs().memoryInUse() == 0,
                () -> relay.broker().rocketBufs().memoryInUse() + " bytes of the broker's memory are still in use");
        relay.broker().out().createBuffer(1, 100);
        relay.broker().out().removeBuffer(1);
    }

    // Received data is forwarded before the end.

    @ParameterizedTest
    @MethodSource("endsAndPolicies")
    void shouldForwardReceivedDataAndThenTheEnd(End end, SlowPolicy policy) {
        // The limits are one minute, so that a slow subscriber does not count as stalled.
        arriving = relay.splice(1, 4000, APART.withLagLimits(0, 60_000).withStallTimeout(60_000));
        Received fast = relay.subscribe(1, 1000);
        Received slow = hold(1000, policy);
        sent.deliver(100, 20);
        arriving.awaitAll(sent);
        slow.awaitPosition(1000);
        end(end);
        fast.awaitEnd(sent);
        assertThat(slow.isEnded()).isFalse();
        assertThatThrownBy(() -> relay.broker().out().createBuffer(1, 100)).isInstanceOf(IllegalStateException.class);
        assertThat(failureOf(relay.subscriber().of(1).trySubscribe(1000, SubscribeOptions.DEFAULTS)))
                .hasMessageContaining("ended");
        slow.release();
        slow.awaitEnd(sent);
        assertThat(slow.gaps()).isEmpty();
        awaitAllFree();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldSkipTheRestOfAnEndedBufferForASubscriberThatConsumesNothing(End end) {
        arriving = relay.splice(1, 4000, APART.withSlowPolicy(SlowPolicy.SKIP).withStallTimeout(200));
        Received slow = relay.hold(1, 1000);
        sent.deliver(100, 20);
        arriving.awaitAll(sent);
        slow.awaitPosition(1000);
        end(end);
        slow.awaitEnd(sent);
        assertThat(slow.gaps()).containsExactly(1000L);
        awaitAllFree();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldDisconnectASubscriberThatConsumesNothingOfAnEndedBuffer(End end) {
        arriving = relay.splice(1, 4000, APART.withStallTimeout(200));
        Received slow = relay.hold(1, 1000);
        sent.deliver(100, 20);
        arriving.awaitAll(sent);
        awaitFullOrEnded(slow);
        end(end);
        stage.expectFailures();
        slow.awaitEnd();
        assertThat(slow.failure()).isNotNull();
        assertThat(slow.position()).isLessThanOrEqualTo(1000);
        awaitAllFree();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldDisconnectASubscriberOfAnEndedBufferThatLagsTooLong(End end) {
        arriving = relay.splice(
                1, 4000, APART.withSlowPolicy(SlowPolicy.DISCONNECT).withLagLimits(0, 200));
        Received slow = relay.hold(1, 1000);
        sent.deliver(100, 20);
        arriving.awaitAll(sent);
        awaitFullOrEnded(slow);
        end(end);
        stage.expectFailures();
        slow.awaitEnd();
        assertThat(slow.failure()).isNotNull();
        awaitAllFree();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void shouldBeFreeImmediatelyWithoutSubscribers(End end) {
        arriving = relay.splice(1, 2000, DEFAULTS);
        arriving.awaitAll(sent.deliver(100, 20));
        end(end);
        awaitAllFree();
    }

    @Test
    void shouldForwardAllDataDeliveredBeforeThePublisherCloses() {
        arriving = relay.splice(1, 800, APART);
        Received received = relay.hold(1, 1000);
        sent.fillUp(100, 2200, 2800);
        relay.toBroker().close();
        received.release();
        received.awaitEnd(sent);
        awaitAllFree();
    }

    @Test
    void shouldBeFreeWhenTheLastSubscriberOfAnEndedBufferUnsubscribes() {
        arriving = relay.splice(1, 2000, DEFAULTS);
        Received slow = relay.hold(1, 1000);
        arriving.awaitAll(sent.deliver(100, 20));
        end(End.REMOVED);
        slow.inbox().in().unsubscribe(1);
        awaitAllFree();
    }

    @Test
    void shouldBeFreeWhenTheLastSubscriberOfAnEndedBufferIsLost() {
        arriving = relay.splice(1, 2000, DEFAULTS);
        relay.hold(1, 1000);
        arriving.awaitAll(sent.deliver(100, 20));
        end(End.REMOVED);
        stage.expectFailures();
        relay.subscribing().kill();
        awaitAllFree();
    }

    @Test
    void shouldEndAnOverwritingBufferOfAStoppedSubscriber() throws Exception {
        relay = new SpliceFixture(stage, Stage.hasty(), Stage.impatient(stage.mayBeHeldByStoppedSubscribers()));
        stage.expectOverwrittenWrites();
        sent = relay.publish(1, 400_000, SpliceFixture.OVERWRITING);
        arriving = relay.splice(1, 400_000, SpliceFixture.OVERWRITING);
        Received stopped = relay.subscribe(1, 64 << 20);
        try (Blocked blocked = Blocked.stop(stopped.inbox(), relay.broker().lastAccepted())) {
            for (int i = 0; i < 120; i++) {
                sent.overwrite(99_999);
            }
            end(End.REMOVED);
            blocked.release();
        }
        stage.expectFailures(stage.mayBeHeldByStoppedSubscribers());
        stopped.awaitEnd();
        if (!stage.mayBeHeldByStoppedSubscribers()) {
            stopped.awaitEnd(sent);
        }
        awaitAllFree();
    }

    @Test
    void shouldServeTheOthersWhenASubscriberIsLostDuringTraffic() {
        stage.expectFailures();
        arriving = relay.splice(1, 2000, DEFAULTS);
        Received lost = relay.subscribe(1, 600);
        Received staying = relay.elsewhere(1).subscribe(700);
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> sent.deliverRandomly(300_000, 500, 3));
        lost.awaitPosition(50_000);
        relay.subscribing().kill();
        Stage.get(publishing);
        staying.awaitAll(sent);
        assertThat(staying.gaps()).isEmpty();
    }

    // The broker ends the splice.

    @Test
    void shouldEndTheSubscriptionsOfARemovedSpliceWithoutDelayingThePublisher() {
        arriving = relay.splice(1, 2000, DEFAULTS);
        Received received = relay.subscribe(1, 600);
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> sent.deliverRandomly(300_000, 500, 3));
        received.awaitPosition(20_000);
        relay.broker().out().removeBuffer(1);
        received.awaitEnd().checkBoundaries(sent);
        assertThat(received.failure()).isNull();
        assertThat(received.gaps()).isEmpty();
        Stage.get(publishing);
        arriving.awaitAll(sent);
        eventually(() -> isFree(1));
        Stage.get(relay.upstream().in().unsubscribe(1));
        eventually(() -> relay.broker().rocketBufs().memoryInUse() == 0);
    }

    private boolean isFree(int id) {
        try {
            relay.broker().out().createBuffer(id, 100);
            relay.broker().out().removeBuffer(id);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Test
    void shouldEndTheSubscriptionsWhenTheBrokerUnsubscribesDuringTraffic() {
        arriving = relay.splice(1, 2000, DEFAULTS);
        Received received = relay.subscribe(1, 600);
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> sent.deliverRandomly(300_000, 500, 3));
        received.awaitPosition(20_000);
        relay.upstream().in().unsubscribe(1);
        received.awaitEnd().checkBoundaries(sent);
        assertThat(received.failure()).isNull();
        assertThat(received.gaps()).isEmpty();
        Stage.get(publishing);
        awaitAllFree();
    }

    @Test
    void shouldSpliceRepeatedlyUnderTheSameId() {
        for (int i = 0; i < 30; i++) {
            arriving = relay.upstream().of(1).seed(1).from(sent.length()).spliced();
            arriving.subscribe(2000);
            relay.broker().out().splice(relay.upstream().in(), 1);
            Received received = relay.of(1).from(sent.length()).subscribe(600);
            received.awaitAll(sent.deliverRandomly(sent.length() + 5000, 500, i));
            Stage.get(relay.upstream().in().unsubscribe(1));
            received.awaitEnd(sent);
            eventually(() -> isFree(1));
        }
        awaitAllFree();
    }

    @Test
    void shouldFreeEverythingWhenUnsubscribedWhileSplicing() {
        meet(() -> relay.upstream().in().unsubscribe(1), 100);
    }

    @Test
    void shouldFreeEverythingWhenTheOutputRemovesItWhileSplicing() {
        meet(
                () -> {
                    relay.broker().out().removeBuffer(1);
                    relay.upstream().in().unsubscribe(1);
                },
                50);
    }

    /** Splices the input, and runs another action on a second thread at about the same time. */
    private void meet(Runnable other, int rounds) {
        Random random = new Random(rounds);
        AtomicReference<Runnable> next = new AtomicReference<>();
        for (int i = 0; i < rounds; i++) {
            relay.upstream().of(1).seed(1).spliced().subscribe(1000);
            int spins = random.nextInt(3000);
            next.set(other);
            CompletableFuture<Void> beside = CompletableFuture.runAsync(() -> {
                next.set(null);
                for (int j = 0; j < spins; j++) {
                    Thread.onSpinWait();
                }
                ignoreTheLoser(other);
            });
            while (next.get() != null) {
                // On a busy machine, the other thread may be waiting for this processor.
                Thread.yield();
            }
            ignoreTheLoser(() -> relay.broker().out().splice(relay.upstream().in(), 1));
            Stage.get(beside);
            ignoreTheLoser(() -> relay.upstream().in().unsubscribe(1));
            eventually(() -> isFree(1));
            eventually(() -> relay.broker().rocketBufs().memoryInUse() == 0);
        }
    }

    /** Runs an action, and ignores its failure, which is expected if it loses the race. */
    private static void ignoreTheLoser(Runnable action) {
        try {
            action.run();
        } catch (IllegalArgumentException | IllegalStateException | CompletionException e) {
            assertThat(e).hasMessageContaining("1");
        }
    }

    @Test
    void shouldUnsubscribeAllInputsWhileThePublisherEndsThem() {
        for (int round = 0; round < 10; round++) {
            Inbox upstream = relay.upstream();
            for (int id = 100; id < 130; id++) {
                relay.publish(id, 100, DEFAULTS);
                relay.splice(id, 100, DEFAULTS);
            }
            CompletableFuture<Void> ending = CompletableFuture.runAsync(() -> {
                for (int id = 100; id < 130; id++) {
                    relay.publishing().out().removeBuffer(id);
                }
            });
            upstream.close();
            Stage.get(ending);
            eventually(() -> relay.broker().rocketBufs().memoryInUse() == 0);
        }
    }

    // Splicing an ended buffer.

    @Test
    void shouldRefuseToSpliceAnInputWhoseConnectionHasEnded() {
        stage.expectFailures();
        relay.upstream().of(1).seed(1).subscribe(1000);
        relay.publishing().kill();
        Stage.get(relay.upstream().connection().closed());
        assertThatThrownBy(() -> relay.broker().out().splice(relay.upstream().in(), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended");
        relay.upstream().close();
        awaitAllFree();
    }

    @Test
    void shouldRefuseToSpliceAnInputWhoseWorkerHasEnded() {
        stage.expectFailures();
        relay.upstream().of(1).seed(1).subscribe(1000);
        relay.broker().kill();
        CompletableFuture<Void> spliced = CompletableFuture.runAsync(
                () -> relay.broker().out().splice(relay.upstream().in(), 1));
        assertThat(failureOf(spliced)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldNotDeadlockWhenTwoWorkersSpliceEachOthersInputs() {
        Node other = stage.node(Stage.hasty());
        other.out().createBuffer(1, 1000, DEFAULTS);
        CompletableFuture<Inbox> accepted = new CompletableFuture<>();
        Connection fromOther = relay.connect(
                other, connection -> accepted.complete(relay.broker().inbox(connection)));
        Inbox first = relay.upstream();
        Inbox second = Stage.get(accepted);
        first.of(1).spliced().subscribe(1000);
        second.of(1).spliced().subscribe(1000);
        CountDownLatch begun = new CountDownLatch(2);
        CompletableFuture<Void> one = spliceWhenToldBy(first, second, 11, begun);
        CompletableFuture<Void> two = spliceWhenToldBy(second, first, 12, begun);
        relay.toBroker().sendControlMessage(ByteBuffer.allocate(0));
        fromOther.sendControlMessage(ByteBuffer.allocate(0));
        Stage.get(one);
        Stage.get(two);
    }

    /**
     * Splices the input of {@code other} in a callback of {@code one}. The reverse may happen at the same time, and the
     * splice may be refused.
     */
    private CompletableFuture<Void> spliceWhenToldBy(Inbox one, Inbox other, int id, CountDownLatch begun) {
        CompletableFuture<Void> returned = new CompletableFuture<>();
        one.in().setControlMessageCallback(message -> {
            begun.countDown();
            while (begun.getCount() > 0 && !other.connection().isWorkerThread()) {
                Thread.onSpinWait();
            }
            ignoreTheLoser(() -> relay.broker().out().splice(other.in(), 1, id));
            returned.complete(null);
        });
        return returned;
    }

    // Flush.

    @Test
    void shouldFlushThroughASpliceWhenEverythingIsSentToTheSubscribers() {
        arriving = relay.splice(1, 4000, APART);
        Received slow = relay.hold(1, 1000);
        Received fast = relay.subscribe(1, 1000);
        sent.deliver(100, 20);
        CompletableFuture<Void> flushed = relay.publishing().out().flush(1);
        fast.awaitAll(sent);
        slow.awaitPosition(1000);
        assertThat(flushed).isNotDone();
        slow.release();
        Stage.get(flushed);
        slow.awaitAll(sent);
    }

    @Test
    void shouldFlushASpliceWhenItsSubscribersHaveConsumedEverything() {
        arriving = relay.splice(1, 2000, DEFAULTS);
        Received slow = relay.hold(1, 1000);
        sent.deliver(100, 10);
        slow.awaitAll(sent);
        CompletableFuture<Void> flushed = relay.broker().out().flush(1);
        slow.consume(990);
        assertThat(flushed).isNotDone();
        slow.consume(10);
        Stage.get(flushed);
        assertThat(relay.broker().out().consumedPosition(1)).isEqualTo(1000);
    }

    @Test
    void shouldFlushDataDeliveredAfterASubscriberWasLost() {
        stage.expectFailures();
        arriving = relay.splice(1, 2000, DEFAULTS);
        Received lost = relay.hold(1, 1000);
        Received staying = relay.elsewhere(1).subscribe(700);
        staying.awaitAll(sent.deliver(100, 5));
        lost.awaitAll(sent);
        CompletableFuture<Void> failing = relay.broker().out().flush(1);
        relay.subscribing().kill();
        assertThat(failureOf(failing)).hasMessageContaining("before it had consumed everything");
        staying.awaitAll(sent.deliver(100, 5));
        Stage.get(relay.broker().out().flush(1));
        Stage.get(relay.publishing().out().flush(1));
    }
}

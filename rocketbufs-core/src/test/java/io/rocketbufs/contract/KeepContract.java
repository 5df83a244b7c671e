package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of a buffer that keeps its newest data for later subscriptions, which start at the oldest byte or at a
 * position.
 */
class KeepContract {
    private static final BufferOptions KEEPING = BufferOptions.DEFAULTS.withKeep(1000);
    private static final SubscribeOptions OLDEST = SubscribeOptions.DEFAULTS.withStart(Start.OLDEST);

    private static final SubscribeOptions LAST = SubscribeOptions.DEFAULTS.withStart(Start.LAST);

    private final Stage stage;
    private Node sending;
    private Node receiving;

    KeepContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node(Stage.hasty());
        receiving = stage.node(Stage.hasty());
    }

    private static SubscribeOptions at(long position) {
        return SubscribeOptions.DEFAULTS.withStart(Start.at(position));
    }

    private static long start(Received received) {
        return received.inbox().in().startPosition(1);
    }

    @Test
    void shouldGiveALateSubscriberTheNewestData() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 50);
        Received received = receiving.inbox(sending).of(1).from(4000).subscribe(300, OLDEST);
        assertThat(start(received)).isEqualTo(4000);
        received.awaitAll(sent.deliver(100, 50));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldGiveALateSubscriberWholeDeliveriesOnly() {
        sending.out().createBuffer(1, 1000, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(300, 50);
        Received received = receiving.inbox(sending).of(1).from(14_100).subscribe(300, OLDEST);
        assertThat(start(received)).isEqualTo(14_100);
        received.awaitAll(sent.deliver(300, 10));
    }

    @Test
    void shouldGiveALateSubscriberManySmallDeliveries() {
        sending.out().createBuffer(1, 100_000, BufferOptions.DEFAULTS.withKeep(100_000));
        Received first = receiving.subscribe(sending, 1, 100_000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(7, 60_000);
        first.awaitAll(sent);
        Received late = receiving.inbox(sending).of(1).startingAnywhere(sent).subscribe(100_000, OLDEST);
        assertThat(sent.length() - start(late)).isBetween(99_800L, 100_000L);
        late.awaitAll(sent.deliver(7, 10));
        first.awaitAll(sent);
    }

    @Test
    void shouldGiveTheNewestDeliveryAlone() {
        sending.out().createBuffer(1, 500, KEEPING.withCoalescing(false));
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 50);
        Received received = receiving.inbox(sending).of(1).from(4900).subscribe(300, LAST);
        assertThat(start(received)).isEqualTo(4900);
        assertThat(received.inbox().in().livePosition(1)).isEqualTo(5000);
        received.awaitAll(sent);
        received.awaitAll(sent.deliver(100, 50));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldBeginWithTheNextDeliveryIfTheNewestOneIsNotKept() {
        sending.out().createBuffer(1, 2000, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(1001);
        Received tooLong = receiving.inbox(sending).of(1).from(1001).subscribe(1000, LAST);
        assertThat(start(tooLong)).isEqualTo(1001);
        tooLong.awaitAll(sent.deliver(100, 10));
        sending.out().createBuffer(2, 2000);
        Received slow = receiving.inbox(sending).of(2).holding().subscribe(1000);
        Sent other = new Sent(sending.out(), 2, 0).deliver(100, 5);
        Received live = receiving.inbox(sending).of(2).from(500).subscribe(1000, LAST);
        live.awaitAll(other.deliver(100, 5));
        slow.release();
        slow.awaitAll(other);
    }

    @Test
    void shouldBeginAnEmptyBufferAtItsBeginning() {
        sending.out().createBuffer(1, 500, KEEPING);
        Received received = receiving.inbox(sending).of(1).subscribe(300, LAST);
        assertThat(start(received)).isZero();
        assertThat(received.inbox().in().livePosition(1)).isZero();
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(100, 20));
    }

    @Test
    void shouldKeepAllWhileLittleWasDelivered() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 3);
        receiving.inbox(sending).of(1).subscribe(300, OLDEST).awaitAll(sent.deliver(100, 20));
    }

    @Test
    void shouldServeOthersLiveAsWithoutKeeping() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 20);
        Received live = receiving.inbox(sending).of(1).from(2000).subscribe(300);
        assertThat(start(live)).isEqualTo(2000);
        live.awaitAll(sent.deliver(100, 50));
        assertThat(Stage.get(sending.out().flush(1))).isNull();
        assertThat(sending.out().consumedPosition(1)).isEqualTo(sent.length());
    }

    @Test
    void shouldLetASlowSubscriberUseTheMemoryOfKeptData() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 30);
        Received held = receiving.inbox(sending).of(1).from(3000).holding().subscribe(100);
        assertThat(sent.fill(100)).isBetween(1500L, 1600L);
        held.release();
        held.awaitAll(sent.deliver(100, 10));
        assertThatThrownBy(() -> sending.out().getOutputSegment(1, 501, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("length=501", "capacity=500");
    }

    @Test
    void shouldContinueWhereALostSubscriberStopped() {
        stage.expectFailures();
        sending.out().createBuffer(1, 2000, KEEPING);
        Node unlucky = stage.node(Stage.hasty());
        Received first = unlucky.inbox(sending).of(1).subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(30, 50);
        first.awaitAll(sent);
        long reached = start(first) + first.length() + first.lost();
        unlucky.kill();
        sent.deliver(30, 30);
        Received second = receiving.inbox(sending).of(1).from(reached).subscribe(1000, at(reached));
        second.awaitAll(sent.deliver(30, 50));
        assertThat(second.gaps()).isEmpty();
    }

    @Test
    void shouldReportTheDifferenceIfAPositionIsOlderThanTheKeptData() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 50);
        Received received = receiving.inbox(sending).of(1).from(3000).subscribe(300, at(3000));
        assertThat(start(received)).isEqualTo(3000);
        received.awaitAll(sent.deliver(100, 50));
        assertThat(received.gaps()).containsExactly(1000L);
    }

    @Test
    void shouldGiveSubscribersThatJoinDuringTrafficAnIntactSuffix() {
        sending.out().createBuffer(1, 3000, BufferOptions.DEFAULTS.withKeep(5000));
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 100);
        List<Received> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Received late = receiving.inbox(sending).of(1).startingAnywhere(sent);
            CompletableFuture<Void> subscribed = late.trySubscribe(500 + 100 * i, OLDEST);
            do {
                sent.deliver(50 + 20 * i, 3);
            } while (!subscribed.isDone());
            all.add(late);
        }
        sent.deliver(10);
        all.forEach(received -> received.awaitAll(sent));
        assertThat(all).allMatch(received -> received.gaps().isEmpty());
        assertThat(all).allMatch(received -> start(received) + received.length() == sent.length());
    }

    @Test
    void shouldKeepLessRatherThanStopWhenReservationsWasteMemory() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 30; i++) {
            Segment wasteful = sending.out().getOutputSegment(1, 200, true);
            Segment next = sending.out().getOutputSegment(1, 10, true);
            sent.deliver(wasteful, 10).deliver(next, 10);
        }
        Received received =
                receiving.inbox(sending).of(1).startingAnywhere(sent).subscribe(300, OLDEST);
        assertThat(sent.length() - start(received)).isBetween(20L, 200L);
        received.awaitAll(sent.deliver(100, 20));
    }

    @Test
    void shouldKeepLessRatherThanStopWhenTheLogIsFull() {
        BufferOptions few = KEEPING.withCoalescing(false).withRecordCount(8);
        sending.out().createBuffer(1, 500, few);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(10, 100);
        Received received =
                receiving.inbox(sending).of(1).startingAnywhere(sent).subscribe(300, OLDEST);
        assertThat(sent.length() - start(received)).isBetween(10L, 80L);
        received.awaitAll(sent.deliver(10, 100));
    }

    @Test
    void shouldKeepDataOfAnOverwritingBuffer() {
        sending.out().createBuffer(1, 500, KEEPING.withFlowControl(false));
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 50; i++) {
            sent.overwrite(100);
        }
        Received received = receiving.inbox(sending).of(1).from(4000).subscribe(300, OLDEST.withFlowControl(true));
        received.awaitAll(sent);
        for (int i = 0; i < 50; i++) {
            sent.overwrite(100);
        }
        received.awaitAll(sent);
        assertThat(start(received) + received.length() + received.lost()).isEqualTo(sent.length());
    }

    @Test
    void shouldReleaseKeptDataWithTheBuffer() {
        sending.out().createBuffer(1, 500, KEEPING);
        new Sent(sending.out(), 1, 0).deliver(100, 50);
        assertThat(sending.rocketBufs().memoryInUse()).isPositive();
        sending.out().removeBuffer(1);
        assertThat(sending.rocketBufs().memoryInUse()).isZero();
        assertThat(failureOf(receiving.inbox(sending).of(1).trySubscribe(300, OLDEST)))
                .hasMessageContaining("buffer 1");
    }

    /** Makes an expected subscription late, and removes the buffer. Returns the late subscriber's inbox. */
    private Inbox lateForARemovedBuffer(Sent sent) {
        Inbox inbox = receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 30);
        sent.deliver(100, 20);
        sending.out().removeBuffer(1);
        // Another buffer may now use the same memory.
        sending.out().createBuffer(2, 2000);
        new Sent(sending.out(), 2, 1).deliver(2000);
        return inbox;
    }

    @Test
    void shouldSendNothingOfARemovedBufferToALateSubscriberThatRequestsTheOldestData() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 20);
        Received late = lateForARemovedBuffer(sent).of(1).from(2000).subscribe(300, OLDEST);
        late.awaitEnd(sent);
        assertThat(late.length()).isZero();
        assertThat(late.gaps()).containsExactly(2000L);
    }

    @Test
    void shouldSendNothingOfARemovedBufferToALateSubscriberThatRequestsAPosition() {
        sending.out().createBuffer(1, 500, KEEPING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 20);
        Received late = lateForARemovedBuffer(sent).of(1).from(3700).subscribe(300, at(3700));
        late.awaitEnd(sent);
        assertThat(late.length()).isZero();
        assertThat(late.gaps()).containsExactly(300L);
    }

    @Test
    void shouldRefuseASubscriberThatIsSmallerThanTheTransfersOfKeptData() {
        sending.out().createBuffer(1, 1 << 16, BufferOptions.DEFAULTS.withKeep(1 << 16));
        Sent sent = new Sent(sending.out(), 1, 0).deliver(10, 100);
        Inbox inbox = receiving.inbox(sending);
        assertThat(failureOf(inbox.of(1).trySubscribe(64, OLDEST)))
                .hasMessageContaining("capacity=64 is less than the transfers of up to 65 bytes that buffer 1");
        assertThat(failureOf(inbox.of(1).trySubscribe(64, at(500)))).hasMessageContaining("capacity=64 is less");
        inbox.of(1).from(1000).subscribe(64).awaitAll(sent.deliver(10, 100));
        Received old = receiving.inbox(sending).of(1).subscribe(65, OLDEST);
        old.awaitAll(sent.deliver(10, 100));
    }

    @Test
    void shouldNotSkipKeptDataOfASpliceThatNobodyNeedsTheMemoryOf() {
        SpliceFixture relay = new SpliceFixture(stage);
        Sent sent = relay.publish(1, 600, BufferOptions.DEFAULTS.withCoalescing(false));
        relay.splice(1, 400, SubscribeOptions.DEFAULTS.withKeep(1000), KEEPING);
        Received slow = relay.hold(1, 400);
        // Fills both buffers, so that the publisher requests memory that the slow subscriber uses.
        sent.fillUp(90, 1150, 1400);
        slow.release();
        slow.awaitAll(sent);
        Stage.get(relay.publishing().out().flush(1));
        Received late = relay.of(1).startingAnywhere(sent).holding();
        late.subscribe(100, OLDEST.withSlowPolicy(SlowPolicy.SKIP));
        ROut out = relay.broker().out();
        eventually(() -> late.lost() > 0
                || out.subscriptions().stream()
                        .anyMatch(each -> each.slowPolicy() == SlowPolicy.SKIP && each.starvedCount() > 0));
        late.release();
        late.awaitAll(sent);
        assertThat(late.gaps()).isEmpty();
    }

    @Test
    void shouldKeepDataOfASpliceAndReturnTheCredit() {
        SpliceFixture relay = new SpliceFixture(stage);
        Sent sent = relay.publish(1, 600, BufferOptions.DEFAULTS);
        SubscribeOptions wishes = SubscribeOptions.DEFAULTS.withKeep(1000);
        Received arriving = relay.splice(1, 400, wishes, KEEPING);
        sent.deliver(90, 100);
        Stage.get(relay.publishing().out().flush(1));
        arriving.awaitAll(sent);
        Received late = relay.of(1).startingAnywhere(sent).subscribe(400, OLDEST);
        assertThat(sent.length() - start(late)).isBetween(810L, 1000L);
        late.awaitAll(sent.deliver(90, 100));
        assertThat(late.gaps()).isEmpty();
        Received later = relay.of(1).from(sent.length() - 450).subscribe(400, at(sent.length() - 450));
        later.awaitAll(sent.deliver(90, 100));
        late.awaitAll(sent);
        assertThat(later.gaps()).isEmpty();
        Stage.get(relay.publishing().out().flush(1));
    }

    @Test
    void shouldPassOnDeliveriesAsLongAsTheCapacityOfAKeepingSplice() {
        SpliceFixture relay = new SpliceFixture(stage);
        Sent sent = relay.publish(1, 1000, BufferOptions.DEFAULTS);
        relay.splice(1, 400, SubscribeOptions.DEFAULTS.withKeep(1000), KEEPING);
        Received received = relay.subscribe(1, 400);
        received.awaitAll(sent.deliver(400, 20));
        Received late = relay.of(1).startingAnywhere(sent).subscribe(400, OLDEST);
        late.awaitAll(sent.deliver(400, 20));
        assertThat(start(late)).isLessThanOrEqualTo(20 * 400);
    }

    @Test
    void shouldGiveSubscribersThatJoinASpliceDuringTrafficAnIntactSuffix() {
        SpliceFixture relay = new SpliceFixture(stage);
        Sent sent = relay.publish(1, 4000, BufferOptions.DEFAULTS);
        relay.splice(1, 2000, SubscribeOptions.DEFAULTS.withKeep(5000), BufferOptions.DEFAULTS.withKeep(5000));
        List<Received> all = new ArrayList<>();
        sent.deliver(100, 60);
        for (int i = 0; i < 10; i++) {
            Received late = relay.of(1).startingAnywhere(sent);
            CompletableFuture<Void> subscribed = late.trySubscribe(1000 + 100 * i, OLDEST);
            do {
                sent.deliver(50 + 20 * i, 3);
            } while (!subscribed.isDone());
            all.add(late);
        }
        sent.deliver(10);
        all.forEach(received -> received.awaitAll(sent));
        assertThat(all).allMatch(received -> received.gaps().isEmpty());
        assertThat(all).allMatch(received -> start(received) + received.length() == sent.length());
    }

    @Test
    void shouldRefuseASpliceThatKeepsMoreThanItsInput() {
        SpliceFixture relay = new SpliceFixture(stage);
        relay.publish(1, 600, BufferOptions.DEFAULTS);
        assertThatThrownBy(() -> relay.splice(1, 400, SubscribeOptions.DEFAULTS.withKeep(999), KEEPING))
                .hasStackTraceContaining("keep=1000 exceeds keep=999")
                .hasStackTraceContaining("SubscribeOptions.withKeep(1000)");
        relay.broker().out().splice(relay.upstream().in(), 1);
    }

    @Test
    void shouldPreserveTheLastBytesOfASpliceThatHasEnded() {
        SpliceFixture relay = new SpliceFixture(stage);
        Sent sent = relay.publish(1, 600, BufferOptions.DEFAULTS.withCoalescing(false));
        relay.splice(1, 400, SubscribeOptions.DEFAULTS.withKeep(1000), KEEPING);
        RIn in = relay.upstream().in();
        ROut out = relay.broker().out();
        CompletableFuture<Long> preserved = new CompletableFuture<>();
        in.setBufferEndCallback((id, failure) -> preserved.complete(out.preserve(id, in.lastTransfer(id), 30)));
        sent.deliver(90, 47); // the last delivery wraps around the end of the broker's memory of 1,400 bytes
        relay.publishing().out().removeBuffer(1);
        assertThat(Stage.get(preserved)).isPositive();
        for (SubscribeOptions options : List.of(OLDEST, LAST, at(4170))) {
            Received late = relay.of(1).from(4170).subscribe(400, options);
            assertThat(start(late)).isEqualTo(4170);
            late.awaitEnd(sent);
            assertThat(late.gaps()).isEmpty();
        }
        relay.of(1).from(4200).subscribe(400, at(4200)).awaitEnd(sent);
        for (SubscribeOptions options : List.of(SubscribeOptions.DEFAULTS, at(4230))) {
            Received live = relay.of(1).from(4230).subscribe(400, options);
            assertThat(start(live)).isEqualTo(4230);
            live.awaitEnd(sent);
        }
        Received returning = relay.of(1).from(4000).subscribe(400, at(4000)).awaitEnd();
        assertThat(returning.gaps()).containsExactly(170L);
        assertThat(returning.position()).isEqualTo(4230);
        out.forget(1);
        assertThat(failureOf(relay.of(1).trySubscribe(400, LAST))).hasMessageContaining("does not exist");
        eventually(() -> relay.broker().rocketBufs().memoryInUse() == 0);
        out.createBuffer(1, 100);
    }
}

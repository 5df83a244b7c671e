package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a buffer outlives the connection of its last subscriber: a later subscription continues where the previous
 * subscription stopped.
 */
class ResumeContract {
    private static final BufferOptions RESUMING = BufferOptions.DEFAULTS.withResume(true);
    private static final SubscribeOptions ME = SubscribeOptions.DEFAULTS.withIdentity(0xfedc_ba98_7654_3210L);

    private final Stage stage;
    private Node sending;
    private Node unlucky;
    private Node receiving;
    private volatile CompletableFuture<Void> told = new CompletableFuture<>();

    ResumeContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        stage.expectFailures();
        sending = stage.node(Stage.hasty());
        unlucky = stage.node(Stage.hasty());
        receiving = stage.node(Stage.hasty());
    }

    private static SubscribeOptions at(long position) {
        return SubscribeOptions.DEFAULTS.withStart(Start.at(position));
    }

    private static long reached(Received received) {
        return received.inbox().in().startPosition(1) + received.length() + received.lost();
    }

    private void kill(Node node) {
        node.kill();
        eventually(() -> sending.out().subscriptionCount(1) == 0);
    }

    @Test
    void shouldContinueExactlyWhereTheLostSubscriberStopped() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(70, 50);
        first.awaitAll(sent);
        long reached = reached(first);
        kill(unlucky);
        sent.deliver(70, 10);
        Received second = receiving.inbox(sending).of(1).from(reached).subscribe(1000, at(reached));
        second.awaitAll(sent.deliver(70, 100));
        assertThat(second.gaps()).isEmpty();
        assertThat(second.inbox().in().startPosition(1)).isEqualTo(reached);
    }

    @Test
    void shouldGiveUnconsumedDataToASubscriberThatRequestsNoPosition() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 15);
        first.awaitPosition(1000);
        first.consume(730);
        eventually(() -> sending.out().consumedPosition(1) == 730);
        kill(unlucky);
        Received second = receiving.inbox(sending).of(1).startingAnywhere(sent).subscribe(1000);
        long start = second.inbox().in().startPosition(1);
        assertThat(start).isBetween(500L, 700L);
        second.awaitAll(sent.deliver(100, 50));
        assertThat(start + second.length()).isEqualTo(sent.length());
    }

    @Test
    void shouldHoldThePublisherBackUntilASubscriberContinues() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 5);
        first.awaitAll(sent);
        kill(unlucky);
        sent.fill(100);
        assertThat(sent.length()).isBetween(2000L, 2500L);
        Received second = receiving.inbox(sending).of(1).from(500).subscribe(1000, at(500));
        second.awaitAll(sent.deliver(100, 50));
        assertThat(second.gaps()).isEmpty();
    }

    @Test
    void shouldFinishAFlushAfterTheContinuation() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        first.awaitAll(sent);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        kill(unlucky);
        assertThat(flushed).isNotDone();
        CompletableFuture<Void> later = sending.out().flush(1);
        assertThat(sending.out().consumedPosition(1)).isZero();
        receiving.inbox(sending).of(1).subscribe(1000).awaitAll(sent);
        Stage.get(flushed);
        Stage.get(later);
    }

    @Test
    void shouldContinueManyTimesWithoutLossDuringTraffic() {
        sending.out().createBuffer(1, 3000, RESUMING);
        Sent sent = new Sent(sending.out(), 1, 0);
        long reached = 0;
        for (int i = 0; i < 8; i++) {
            Node next = stage.node(Stage.hasty());
            Received received = next.inbox(sending).of(1).from(reached).subscribe(700 + 100 * i, at(reached));
            sent.deliver(60, 70 + i);
            received.awaitPosition(reached + 60);
            next.kill();
            assertThat(received.gaps()).isEmpty();
            reached = received.checkBoundaries(sent).position();
            eventually(() -> sending.out().subscriptionCount(1) == 0);
        }
        Received last = receiving.inbox(sending).of(1).from(reached).subscribe(1000, at(reached));
        last.awaitAll(sent.deliver(60, 100));
        assertThat(last.gaps()).isEmpty();
    }

    @Test
    void shouldKeepSentDataUntilItIsConsumed() {
        sending.out().createBuffer(1, 1000, RESUMING);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(100);
        assertThat(sent.length()).isEqualTo(1000);
        received.awaitAll(sent);
        assertThat(sent.offer(100)).isFalse();
        // Less than a quarter of the capacity: a quarter would cause a report without a request.
        received.consume(1000);
        eventually(() -> sent.offer(100));
        received.release();
        received.awaitAll(sent.deliver(100, 200));
    }

    @Test
    void shouldTellAWaitingProducerAboutConsumption() {
        CompletableFuture<Void> space = new CompletableFuture<>();
        sending.out().setSpaceCallback(id -> space.complete(null));
        sending.out().createBuffer(1, 1000, RESUMING);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(100);
        received.awaitAll(sent);
        assertThat(sent.offer(100)).isFalse();
        received.release();
        Stage.get(space);
        eventually(() -> sent.offer(100));
        received.awaitAll(sent);
    }

    @Test
    void shouldDisconnectASubscriberThatConsumesNothingWhileTheProducerWaits() {
        sending.out().createBuffer(1, 1000, RESUMING.withStallTimeout(100));
        Received stuck = unlucky.inbox(sending).of(1).holding().subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(100);
        // On a busy machine, the time limit may be exceeded before everything has arrived.
        eventually(() -> stuck.position() == sent.length() || stuck.isEnded(), stuck::toString);
        assertThat(sent.offer(100)).isFalse();
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        assertThat(sending.awaitFailures()).singleElement().asString().contains("consumed nothing for");
        receiving.inbox(sending).of(1).subscribe(1000).awaitAll(sent.deliver(100, 20));
    }

    @Test
    void shouldKeepNothingWhenTheLastSubscriberUnsubscribes() {
        sending.out().createBuffer(1, 1000, RESUMING);
        Inbox inbox = receiving.inbox(sending);
        Received first = inbox.of(1).holding().subscribe(500);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 8);
        first.awaitPosition(500);
        Stage.get(inbox.in().unsubscribe(1));
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        sent.deliver(100, 50);
        Received second = inbox.of(1).from(sent.length()).subscribe(500);
        second.awaitAll(sent.deliver(100, 20));
    }

    @Test
    void shouldKeepNothingForOneOfSeveralSubscribers() {
        sending.out().createBuffer(1, 1000, RESUMING);
        Received staying = receiving.subscribe(sending, 1, 1000);
        Received lost = unlucky.inbox(sending).of(1).holding().subscribe(500);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 5);
        lost.awaitAll(sent);
        unlucky.kill();
        staying.awaitAll(sent.deliver(100, 50));
        assertThat(sending.out().subscriptionCount(1)).isEqualTo(1);
    }

    @Test
    void shouldKeepNothingWhenTheBufferIsRemoved() {
        sending.out().createBuffer(1, 1000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 8);
        first.awaitAll(sent);
        kill(unlucky);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        assertThat(sending.rocketBufs().memoryInUse()).isPositive();
        sending.out().removeBuffer(1);
        assertThat(sending.rocketBufs().memoryInUse()).isZero();
        assertThat(failureOf(flushed)).hasMessageContaining("ended before a subscriber joined");
    }

    @Test
    void shouldEndGracefullyWhileASubscriberReads() {
        sending.out().createBuffer(1, 1000, RESUMING);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(500);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 9);
        sending.out().removeBuffer(1);
        received.release();
        received.awaitEnd(sent);
        eventually(() -> sending.rocketBufs().memoryInUse() == 0);
    }

    @Test
    void shouldRejectCombinationsThatCannotKeepUnconsumedData() {
        assertThatThrownBy(() -> RESUMING.withFlowControl(false)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RESUMING.withSlowPolicy(SlowPolicy.SKIP)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RESUMING.withDiscardable(true)).isInstanceOf(IllegalArgumentException.class);
        sending.out().createBuffer(1, 1000, RESUMING);
        Inbox inbox = receiving.inbox(sending);
        assertThat(failureOf(inbox.of(1).trySubscribe(500, SubscribeOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP))))
                .hasMessageContaining("no subscriber can have the policy SKIP");
        SpliceFixture relay = new SpliceFixture(stage);
        relay.publish(2, 1000, BufferOptions.DEFAULTS);
        assertThatThrownBy(() -> relay.splice(2, 1000, RESUMING)).hasStackTraceContaining("resume applies only to");
        relay.broker().out().splice(relay.upstream().in(), 2);
    }

    /**
     * Fills the buffer and makes the producer wait for the space callback. The callback completes the returned future.
     */
    private CompletableFuture<Void> fillAndWait(Sent sent) {
        sent.fill(100);
        return awaitSpace(sent);
    }

    private CompletableFuture<Void> awaitSpace(Sent sent) {
        CompletableFuture<Void> space = new CompletableFuture<>();
        told = space;
        assertThat(sent.offer(100)).isFalse();
        return space;
    }

    private void createTelling() {
        sending.out().setSpaceCallback(id -> told.complete(null));
        sending.out().createBuffer(1, 1000, RESUMING);
    }

    @Test
    void shouldTellAWaitingProducerAboutConsumptionDeliveryByDelivery() {
        createTelling();
        Received received = receiving.inbox(sending).of(1).holding().subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0);
        CompletableFuture<Void> space = fillAndWait(sent);
        received.awaitAll(sent);
        for (int i = 0; i < 10; i++) {
            received.consume(100);
        }
        Stage.get(space);
        received.release();
        received.awaitAll(sent.deliver(100, 50));
    }

    @Test
    void shouldTellAWaitingProducerAboutConsumptionWhileAFlushWaitsForMore() {
        createTelling();
        Received received = receiving.inbox(sending).of(1).holding().subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(100);
        received.awaitAll(sent);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        CompletableFuture<Void> space = awaitSpace(sent);
        // Sufficient for the next delivery, but not for the flush or for half of the buffer.
        received.consume(300);
        Stage.get(space);
        assertThat(flushed).isNotDone();
        received.release();
        Stage.get(flushed);
    }

    @Test
    void shouldTellAProducerThatWaitedBeforeASubscriberContinued() {
        createTelling();
        Received first = unlucky.inbox(sending).of(1).subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 3);
        first.awaitAll(sent);
        kill(unlucky);
        CompletableFuture<Void> space = fillAndWait(sent);
        // The subscriber's capacity is so large that it sends no report without a request.
        receiving.inbox(sending).of(1).from(300).subscribe(8000, at(300)).awaitAll(sent);
        Stage.get(space);
    }

    @Test
    void shouldNotRepeatWhatWasConsumedWhenTheConnectionIsClosedGracefully() {
        sending.out().createBuffer(1, 1000, RESUMING);
        Received first = receiving.inbox(sending).of(1).subscribe(8000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 5);
        first.awaitAll(sent);
        sending.lastAccepted().close();
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        Received second = receiving.inbox(sending).of(1).from(500).subscribe(1000);
        assertThat(second.inbox().in().startPosition(1)).isEqualTo(500);
        second.awaitAll(sent.deliver(100, 20));
    }

    private List<DataOutStatus> watchStatuses() {
        List<DataOutStatus> statuses = new CopyOnWriteArrayList<>();
        sending.out().setDataOutCallback((context, status) -> statuses.add(status));
        return statuses;
    }

    @Test
    void shouldLoseNothingWhenASubscriberContinuesBeforeTheLossIsNoticed() {
        List<DataOutStatus> statuses = watchStatuses();
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(300, ME);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        first.awaitPosition(300);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        Received second =
                receiving.inbox(sending).of(1).from(300).holding().subscribe(300, ME.withStart(Start.at(300)));
        unlucky.kill();
        eventually(() -> sending.out().subscriptionCount(1) == 1);
        second.release();
        second.awaitAll(sent);
        Stage.get(flushed);
        eventually(() -> statuses.size() == 10);
        assertThat(statuses).containsOnly(DataOutStatus.SENT);
    }

    @Test
    void shouldLoseNothingWhenTheLossOfTheContinuationIsNoticedFirst() {
        List<DataOutStatus> statuses = watchStatuses();
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(300, ME);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        first.awaitPosition(300);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        Node second = stage.node(Stage.hasty());
        Received next = second.inbox(sending).of(1).from(300).holding().subscribe(300, ME.withStart(Start.at(300)));
        next.awaitPosition(600);
        kill(second);
        kill(unlucky);
        assertThat(flushed).isNotDone();
        receiving
                .inbox(sending)
                .of(1)
                .from(600)
                .subscribe(300, ME.withStart(Start.at(600)))
                .awaitAll(sent);
        Stage.get(flushed);
        eventually(() -> statuses.size() == 10);
        assertThat(statuses).containsOnly(DataOutStatus.SENT);
    }

    @Test
    void shouldEndASubscriptionThatAnotherOneSupersedes() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received other = receiving.inbox(sending).of(1).subscribe(300);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(300, ME);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        first.awaitPosition(300);
        // The second subscriber requests no position; nothing has been reported as consumed.
        Received second = stage.node(Stage.hasty()).inbox(sending).of(1).subscribe(300, ME);
        assertThat(second.inbox().in().startPosition(1)).isZero();
        first.awaitEnd();
        assertThat(first.failure()).contains("superseded by another subscription with the same identity");
        eventually(() -> sending.out().subscriptionCount(1) == 2);
        second.awaitAll(sent.deliver(100, 20));
        other.awaitAll(sent);
        Stage.get(sending.out().flush(1));
    }

    @Test
    void shouldFailAFlushWhenAnIndependentSubscriberIsLost() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received lost = unlucky.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 5);
        lost.awaitAll(sent);
        Received staying = receiving.inbox(sending).of(1).from(500).subscribe(1000);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        unlucky.kill();
        assertThat(failureOf(flushed)).hasMessageContaining("ended before it had consumed everything");
        staying.awaitAll(sent.deliver(100, 50));
    }

    @Test
    void shouldGiveTheNextSubscriberWholeDeliveriesAfterOneHasRequestedAWrongPosition() {
        sending.out().createBuffer(1, 2000, RESUMING);
        Received first = unlucky.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        first.awaitAll(sent);
        kill(unlucky);
        Node wrong = stage.node(Stage.hasty());
        wrong.inbox(sending).of(1).from(350).holding().subscribe(1000, at(350));
        kill(wrong);
        Received third = receiving.inbox(sending).of(1).startingAnywhere(sent).subscribe(1000);
        assertThat(sent.endsAt(third.inbox().in().startPosition(1))).isTrue();
        third.awaitAll(sent.deliver(100, 20));
    }
}

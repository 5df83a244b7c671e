package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a subscriber is told the position at which it starts in the buffer's data, and that it can request a
 * start. The sum of start position, received bytes and lost bytes is the subscriber's position in the buffer.
 */
class StartContract {
    private static final SubscribeOptions OLDEST = SubscribeOptions.DEFAULTS.withStart(Start.OLDEST);

    private final Stage stage;
    private Node sending;
    private Node receiving;

    StartContract(Stage stage) {
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

    /** Makes the buffer keep the data delivered after this call until the returned inbox subscribes. */
    private Inbox expected() {
        Inbox inbox = receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 60_000);
        return inbox;
    }

    private static void assertStart(Received received, long start) {
        assertThat(received.inbox().in().startPosition(1)).isEqualTo(start);
    }

    @Test
    void shouldStateTheStartOfALateSubscription() {
        sending.out().createBuffer(1, 1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(40, 100);
        Received received = receiving.inbox(sending).of(1).from(4000).subscribe(1000);
        assertStart(received, 4000);
        received.awaitAll(sent.deliver(40, 100));
        assertStart(received, 4000);
    }

    @Test
    void shouldStateTheStartOfHeldData() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withHold(true));
        Sent sent = new Sent(sending.out(), 1, 0).deliver(40, 20);
        Received received = receiving.inbox(sending).of(1).subscribe(1000);
        assertStart(received, 0);
        received.awaitAll(sent);
    }

    @Test
    void shouldStateTheStartBeforeAGapThatIsReportedFirst() {
        sending.out().createBuffer(1, 1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(50);
        Inbox inbox = receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 30);
        sent.deliver(100, 10);
        eventually(() -> sent.offer(100));
        Received received = inbox.of(1).from(50).subscribe(1000);
        assertStart(received, 50);
        received.awaitAll(sent.deliver(50, 100));
        assertThat(received.gaps()).containsExactly(1100L);
        assertThat(50 + received.length() + received.lost()).isEqualTo(sent.length());
    }

    @Test
    void shouldStateNoStartBeforeTheSenderHasAccepted() throws Exception {
        Blocked blocked = Blocked.on(sending);
        Inbox inbox = blocked.connectAndBlock(receiving);
        sending.out().createBuffer(1, 1000);
        inbox.of(1).trySubscribe(100, SubscribeOptions.DEFAULTS);
        assertThatThrownBy(() -> inbox.in().startPosition(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bufferId=1");
        assertThatThrownBy(() -> inbox.in().startPosition(2)).isInstanceOf(IllegalArgumentException.class);
        blocked.release();
    }

    @Test
    void shouldCountBytesLostUpstreamOfASplice() {
        SpliceFixture relay = new SpliceFixture(stage);
        BufferOptions apart = BufferOptions.DEFAULTS.withCoalescing(false);
        Sent sent = relay.publish(1, 1000, apart);
        Received arriving = relay.splice(1, 800, apart);
        Received slow = relay.hold(1, 600);
        sent.fillUp(100, 2200, 2400);
        relay.publishing().out().skip(1);
        eventually(() -> relay.publishing().out().subscriptions().get(0).pendingLength() == 0);
        slow.release();
        slow.awaitAll(sent.deliver(100));
        assertThat(arriving.lost()).isPositive();
        Received late = relay.of(1).from(sent.length()).subscribe(600);
        assertStart(late, sent.length());
        late.awaitAll(sent.deliver(100, 20));
        assertThat(late.gaps()).isEmpty();
    }

    @Test
    void shouldStateWhereTheDataEndedWhenASubscriptionBegan() {
        sending.out().createBuffer(1, 2000, BufferOptions.DEFAULTS.withKeep(1000));
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 20);
        Received oldest = receiving.inbox(sending).of(1).from(1000).subscribe(1000, OLDEST);
        Received live = receiving.inbox(sending).of(1).from(2000).subscribe(1000);
        Received later = receiving.inbox(sending).of(1).from(1700).subscribe(1000, at(1700));
        for (Received each : List.of(oldest, live, later)) {
            assertThat(each.inbox().in().livePosition(1)).isEqualTo(2000);
        }
        sent.deliver(100, 20);
        for (Received each : List.of(oldest, live, later)) {
            each.awaitAll(sent);
            assertThat(each.inbox().in().livePosition(1)).isEqualTo(2000);
        }
    }

    @Test
    void shouldCountBytesLostUpstreamInTheEndOfOlderData() {
        SpliceFixture relay = new SpliceFixture(stage);
        BufferOptions apart = BufferOptions.DEFAULTS.withCoalescing(false);
        Sent sent = relay.publish(1, 1000, apart);
        Received arriving = relay.splice(
                1, 800, SubscribeOptions.DEFAULTS.withFlowControl(true).withKeep(400), apart.withKeep(400));
        Received slow = relay.hold(1, 600);
        sent.fillUp(100, 2200, 2400);
        relay.publishing().out().skip(1);
        eventually(() -> relay.publishing().out().subscriptions().get(0).pendingLength() == 0);
        slow.release();
        slow.awaitAll(sent.deliver(100));
        long end = sent.length();
        assertThat(arriving.lost()).isPositive();
        Received oldest = relay.of(1).startingAnywhere(sent).subscribe(600, OLDEST);
        assertThat(oldest.inbox().in().livePosition(1)).isEqualTo(end);
        oldest.awaitAll(sent.deliver(100, 10));
    }

    @Test
    void shouldContinueExactlyAtAPosition() {
        sending.out().createBuffer(1, 2000);
        Inbox inbox = expected();
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 20);
        Received received = inbox.of(1).from(700).subscribe(1000, at(700));
        assertStart(received, 700);
        received.awaitAll(sent.deliver(100, 20));
        assertThat(received.gaps()).isEmpty();
        assertThat(received.length()).isEqualTo(3300);
    }

    @Test
    void shouldReportTheDifferenceWhenAPositionIsNoLongerHeld() {
        sending.out().createBuffer(1, 1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        Received received = receiving.inbox(sending).of(1).from(300).subscribe(1000, at(300));
        assertStart(received, 300);
        received.awaitAll(sent);
        assertThat(received.gaps()).containsExactly(700L);
        received.awaitAll(sent.deliver(100, 20));
        assertThat(received.gaps()).hasSize(1);
    }

    @Test
    void shouldContinueAtTheEndWithoutAGap() {
        sending.out().createBuffer(1, 1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        Received received = receiving.inbox(sending).of(1).from(1000).subscribe(1000, at(1000));
        assertStart(received, 1000);
        received.awaitAll(sent.deliver(100, 20));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldRefuseAPositionBeyondTheEnd() {
        sending.out().createBuffer(1, 1000);
        new Sent(sending.out(), 1, 0).deliver(100, 10);
        Inbox inbox = receiving.inbox(sending);
        assertThat(failureOf(inbox.of(1).trySubscribe(1000, at(1001))))
                .hasMessageContaining("start=1001 lies beyond the end of buffer 1 at 1000");
        inbox.of(1).subscribe(1000);
    }

    @Test
    void shouldRefuseAPositionInADiscardableBuffer() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withDiscardable(true));
        Inbox inbox = receiving.inbox(sending);
        assertThat(failureOf(inbox.of(1).trySubscribe(1000, at(0))))
                .hasMessageContaining("buffer 1 is discardable")
                .hasMessageContaining("use Start.LIVE, Start.OLDEST or Start.LAST");
        inbox.of(1).subscribe(1000, OLDEST);
    }

    @Test
    void shouldBeginWithTheOldestDataThatIsKeptForAnotherConnection() {
        sending.out().createBuffer(1, 2000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 20);
        Inbox late = expected();
        sent.deliver(100, 10);
        Received received = receiving.inbox(sending).of(1).from(2000).subscribe(1000, OLDEST);
        assertStart(received, 2000);
        received.awaitAll(sent.deliver(100, 5));
        late.of(1).from(2000).subscribe(1000).awaitAll(sent);
        received.awaitAll(sent.deliver(100, 50));
    }

    @Test
    void shouldBeginWithTheNextDeliveryIfNothingIsKept() {
        sending.out().createBuffer(1, 2000);
        Received slow = receiving.inbox(sending).of(1).holding().subscribe(600);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 15);
        Received received = receiving.inbox(sending).of(1).from(1500).subscribe(1000, OLDEST);
        assertStart(received, 1500);
        received.awaitAll(sent.deliver(100, 5));
        slow.release();
        slow.awaitAll(sent);
    }
}

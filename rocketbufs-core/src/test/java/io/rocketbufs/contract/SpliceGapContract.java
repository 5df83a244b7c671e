package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ROut;
import io.rocketbufs.Role;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.ImmediateLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a broker's subscribers are notified of data that the publisher has dropped: of each byte once, at its
 * place in the stream.
 */
class SpliceGapContract {
    private static final BufferOptions BLOCKING = BufferOptions.DEFAULTS;
    /** Options that send each delivery separately, so that buffers fill up exactly. */
    private static final BufferOptions APART = BLOCKING.withCoalescing(false);

    private static final SubscribeOptions SKIP = SubscribeOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP);
    private static final int LARGE = 1 << 20;

    private final Stage stage;
    private SpliceFixture relay;
    private Inbox raw;
    private long rawLength;

    SpliceGapContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        relay = new SpliceFixture(stage);
    }

    private void skipAtThePublisher() {
        ROut out = relay.publishing().out();
        assertThat(out.skip(1)).isNotNegative();
        // If another thread is sending, that thread skips the data later. Until it does, it would send pending data if
        // space became free.
        eventually(() -> out.subscriptions().stream().allMatch(each -> each.pendingLength() == 0));
    }

    @Test
    void shouldReportDataThatThePublisherSkipped() {
        Sent sent = relay.publish(1, 1000, APART);
        Received arriving = relay.splice(1, 800, APART);
        Received slow = relay.hold(1, 600);
        Received fast = relay.subscribe(1, 600);
        sent.fillUp(100, 2200, 2400);
        skipAtThePublisher();
        sent.deliver(100, 10);
        slow.release();
        slow.awaitAll(sent);
        fast.awaitAll(sent);
        assertThat(slow.gaps()).isEqualTo(arriving.gaps()).isNotEmpty();
        assertThat(fast.gaps()).isEqualTo(arriving.gaps());
        slow.awaitAll(sent.deliver(100, 50));
        fast.awaitAll(sent);
    }

    @Test
    void shouldReportSeveralGapsThatASlowSubscriberHasNotReached() {
        Sent sent = relay.publish(1, 1000, APART);
        Received arriving = relay.splice(1, 4000, APART);
        Received quick = relay.subscribe(1, 1000);
        Received slow = relay.hold(1, 1000);
        slow.awaitAll(sent.deliver(100, 10));
        for (int i = 1; i <= 5; i++) {
            int gaps = i;
            eventually(() -> {
                sent.fill(100);
                skipAtThePublisher();
                return arriving.gaps().size() >= gaps;
            });
            slow.consume(Math.min(slow.unconsumed(), 700));
        }
        slow.release();
        slow.awaitAll(sent.deliver(100, 10));
        quick.awaitAll(sent);
        assertThat(slow.lost()).isEqualTo(arriving.lost());
        assertThat(quick.lost()).isEqualTo(arriving.lost());
    }

    @Test
    void shouldReportAGapThatNoDataFollows() {
        Sent sent = relay.publish(1, 1000, APART);
        Received arriving = relay.splice(1, 800, APART);
        Received received = relay.hold(1, 600);
        sent.fillUp(100, 2200, 2400);
        skipAtThePublisher();
        received.release();
        received.awaitAll(sent);
        assertThat(received.gaps()).isEqualTo(arriving.gaps()).isNotEmpty();
    }

    @Test
    void shouldReportAGapBeforeTheEnd() {
        Sent sent = relay.publish(1, 1000, APART);
        Received arriving = relay.splice(1, 800, APART);
        Received received = relay.hold(1, 600);
        sent.fillUp(100, 2200, 2400);
        skipAtThePublisher();
        relay.publishing().out().removeBuffer(1);
        arriving.awaitEnd();
        received.release();
        received.awaitEnd(sent);
        assertThat(received.gaps()).isEqualTo(arriving.gaps()).isNotEmpty();
    }

    @Test
    void shouldReportGapsOnlyToEarlierSubscribers() {
        Sent sent = relay.publish(1, 1000, APART);
        Received arriving = relay.splice(1, 800, APART);
        Received early = relay.hold(1, 600);
        sent.fillUp(100, 2200, 2400);
        skipAtThePublisher();
        early.release();
        early.awaitAll(sent);
        eventually(() -> arriving.lost() > 0);
        Received late = relay.of(1).from(sent.length()).subscribe(600);
        late.awaitAll(sent.deliver(100, 100));
        early.awaitAll(sent);
        assertThat(late.gaps()).isEmpty();
    }

    @Test
    void shouldReportDataThatASkippingBrokerMissed() {
        Sent sent = relay.publish(1, 1000, BLOCKING);
        Received arriving = relay.splice(1, 800, SKIP, BLOCKING);
        Received slow = relay.hold(1, 600);
        Received fast = relay.subscribe(1, 600);
        for (int i = 0; i < 100; i++) {
            int count = 1 + i * 37 % 200;
            eventually(() -> sent.offer(count), () -> "space for " + count + " bytes after " + sent.length());
        }
        slow.release();
        slow.awaitAll(sent);
        fast.awaitAll(sent);
        assertThat(arriving.lost()).isPositive();
        assertThat(slow.lost()).isEqualTo(arriving.lost());
        assertThat(fast.lost()).isEqualTo(arriving.lost());
    }

    @Test
    void shouldReportTheSumOfDataSkippedByThePublisherAndTheBroker() {
        Sent sent = relay.publish(1, 1000, BLOCKING);
        Received arriving = relay.splice(1, 800, SKIP, BLOCKING);
        Received blocking = relay.hold(1, 600);
        Received skipping = relay.of(1).holding();
        skipping.subscribe(300, SKIP);
        for (int i = 0; i < 100; i++) {
            int count = 1 + i * 37 % 200;
            eventually(() -> sent.offer(count), () -> "space for " + count + " bytes after " + sent.length());
        }
        blocking.release();
        skipping.release();
        blocking.awaitAll(sent);
        skipping.awaitAll(sent);
        assertThat(blocking.lost()).isEqualTo(arriving.lost()).isPositive();
        assertThat(skipping.lost()).isGreaterThanOrEqualTo(arriving.lost());
    }

    @Test
    void shouldReportALongDeliveryThatThePublisherAbandoned() {
        Sent sent = relay.publish(1, 2 * LARGE, BLOCKING.withSlowPolicy(SlowPolicy.SKIP));
        relay.splice(1, LARGE, BLOCKING);
        Received received = relay.hold(1, LARGE);
        for (int length : new int[] {600_000, 900_000, 900_000, 900_000, 900_000, 300_000}) {
            eventually(() -> sent.offer(length), () -> "space for " + length + " bytes after " + sent.length());
        }
        received.release();
        received.awaitAll(sent);
        assertThat(received.lost()).isPositive();
    }

    @Test
    void shouldReportGapsThroughTwoBrokers() {
        Sent sent = relay.publish(1, 1000, APART);
        Received arriving = relay.splice(1, 800, APART);
        Node second = stage.broker(Stage.hasty());
        Inbox between = second.inbox(relay.broker());
        between.of(1).seed(1).spliced().subscribe(800);
        second.out().splice(between.in(), 1);
        Received received =
                stage.subscriber(Stage.hasty()).inbox(second).of(1).seed(1).holding();
        received.subscribe(600);
        sent.fillUp(100, 2800, 3200);
        skipAtThePublisher();
        received.release();
        received.awaitAll(sent.deliver(100, 50));
        assertThat(received.gaps()).isEqualTo(arriving.gaps()).isNotEmpty();
    }

    @Test
    void shouldReportDataOfAnOverwritingBufferThatAStoppedBrokerMissed() throws Exception {
        stage.expectFailures(stage.mayBeHeldByStoppedPeers());
        relay = new SpliceFixture(stage, Stage.impatient(stage.mayBeHeldByStoppedPeers()), Stage.hasty());
        stage.expectOverwrittenWrites();
        Sent sent = relay.publish(1, 300_000, SpliceFixture.OVERWRITING);
        Received arriving = relay.spliceBetweenNeighbours(1, 200_000, SpliceFixture.OVERWRITING);
        Received received = relay.subscribe(1, 64 << 20);
        try (Blocked blocked = Blocked.stop(relay.upstream(), relay.toBroker())) {
            for (int i = 0; i < 120; i++) {
                sent.overwrite(99_999);
            }
            blocked.release();
        }
        if (!stage.mayBeHeldByStoppedPeers()) {
            received.awaitAll(sent);
            received.awaitAll(sent.overwrite(1000));
            assertThat(received.lost()).isGreaterThanOrEqualTo(arriving.lost());
        } else {
            // The publisher may have disconnected the broker because writes to the broker held memory that the
            // publisher needed.
            eventually(() -> received.position() == sent.length() || received.isEnded());
        }
    }

    /** Splices the buffer of a raw peer, which can report any gap. */
    private RawPeer splicedRaw(SubscribeOptions wishes, BufferOptions options) {
        CompletableFuture<Inbox> accepted = new CompletableFuture<>();
        relay.broker().onConnection(connection -> {
            if (connection.role() == Role.PUBLISHER) {
                accepted.complete(relay.broker().inbox(connection));
            }
        });
        RawPeer peer =
                RawPeer.connect(stage.transport(Stage.config()), relay.broker().address());
        peer.hello(Role.PUBLISHER.ordinal() + 1);
        raw = Stage.get(accepted);
        CompletableFuture<Void> subscribed = raw.of(1).spliced().trySubscribe(400, wishes);
        peer.accept();
        Stage.get(subscribed);
        relay.broker().out().splice(raw.in(), 1, 1, options);
        return peer;
    }

    /** Reports a gap, and then writes a delivery whose bytes are not checked. */
    private void deliver(RawPeer peer, int length, long lostBefore) {
        RawPeer.Subscribed to = peer.accepted();
        long position = rawLength;
        peer.send(ControlType.GAP, body -> GapLayout.put(body, to.tag(), position, lostBefore));
        peer.write(to.remote(), position, ImmediateLayout.data(to.tag(), false), length);
        rawLength += length;
    }

    @Test
    void shouldServeSubscribersAfterAPublisherHasReportedImpossibleGaps() {
        try (RawPeer hostile = splicedRaw(SubscribeOptions.DEFAULTS, BLOCKING)) {
            stage.expectFailures();
            Received early = relay.of(1).subscribe(400);
            deliver(hostile, 10, Long.MAX_VALUE);
            deliver(hostile, 10, Long.MAX_VALUE);
            eventually(() -> raw.in().receivedPosition(1) == 20);
            Received late = relay.of(1).subscribe(400);
            long start = late.inbox().in().startPosition(1);
            assertThat(start).isPositive();
            Received there = relay.of(1).subscribe(400, SubscribeOptions.DEFAULTS.withStart(Start.at(start)));
            assertThat(there.inbox().in().startPosition(1)).isEqualTo(start);
            deliver(hostile, 10, Long.MAX_VALUE);
            for (Received each : List.of(early, late, there)) {
                eventually(() -> each.inbox().in().receivedPosition(1) >= 10);
            }
            assertThat(relay.subscribing().failures()).isEmpty();
            assertThat(relay.broker().failures()).isEmpty();
        }
    }

    @Test
    void shouldKeepLessRatherThanFailWhenGapsSeparateTheDeliveries() {
        try (RawPeer lossy = splicedRaw(SubscribeOptions.DEFAULTS.withKeep(1000), BLOCKING.withKeep(1000))) {
            stage.expectFailures();
            for (int i = 0; i < 350; i++) {
                deliver(lossy, 1, 1);
            }
            eventually(() -> raw.in().receivedPosition(1) == 350 || lossy.isOver());
            assertThat(relay.broker().failures()).isEmpty();
            Received late = relay.of(1).subscribe(400, SubscribeOptions.DEFAULTS.withStart(Start.OLDEST));
            eventually(() -> late.inbox().in().receivedPosition(1) >= 64);
        }
    }

    @Test
    void shouldReportToALateSubscriberOnlyWhatWasLostBeforeTheEndOfASplice() {
        Sent sent = relay.publish(1, 1000, APART);
        relay.splice(1, 800, APART);
        sent.deliver(100, 3);
        eventually(() -> relay.upstream().in().receivedPosition(1) == 300);
        Inbox inbox = relay.subscriber();
        relay.broker().out().expect(1, relay.broker().lastAccepted(), 30);
        sent.deliver(100, 20);
        eventually(() -> relay.upstream().in().receivedPosition(1) == 2300);
        relay.broker().out().removeBuffer(1);
        sent.deliver(100, 5);
        eventually(() -> relay.upstream().in().receivedPosition(1) == 2800);
        Received late = inbox.of(1).seed(1).from(300).subscribe(600).awaitEnd();
        assertThat(late.position()).isEqualTo(2300);
        assertThat(late.failure()).isNull();
    }
}

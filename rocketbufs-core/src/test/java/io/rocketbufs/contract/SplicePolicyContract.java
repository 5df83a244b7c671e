package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.SubscribeOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a slow subscriber of a spliced buffer delays the publisher, is disconnected, or continues at the newest
 * data.
 */
class SplicePolicyContract {
    /** Options that send each delivery separately, so that buffers fill up exactly. */
    private static final BufferOptions BLOCKING = BufferOptions.DEFAULTS.withCoalescing(false);

    private static final BufferOptions DISCONNECTING = BLOCKING.withSlowPolicy(SlowPolicy.DISCONNECT);
    private static final BufferOptions SKIPPING = BLOCKING.withSlowPolicy(SlowPolicy.SKIP);
    private static final int LARGE = 1 << 20;

    private final Stage stage;
    private SpliceFixture relay;
    private Sent sent;

    SplicePolicyContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        relay = new SpliceFixture(stage);
        sent = relay.publish(1, 1000, BLOCKING);
    }

    /** Delivers the given number of bytes. No slow subscriber may delay this for long. */
    private void deliverFreely(int count) {
        eventually(() -> sent.offer(count), () -> "space for " + count + " bytes after " + sent.length());
    }

    private Received hold(long capacity, SlowPolicy policy) {
        Received slow = relay.of(1).holding();
        return slow.subscribe(capacity, SubscribeOptions.DEFAULTS.withSlowPolicy(policy));
    }

    /** Adds a subscriber that consumes everything, and to which the given policy applies. */
    private Received fast(SlowPolicy policy) {
        return relay.of(1).subscribe(500, SubscribeOptions.DEFAULTS.withSlowPolicy(policy));
    }

    /** Delivers 100 bytes, and waits until they have been sent to the given subscriber, which receives them. */
    private void deliverTo(Received fast, Connection there) {
        fast.awaitAll(sent.deliver(100));
        relay.broker().awaitSentTo(there);
    }

    // Block.

    @Test
    void shouldDisconnectABlockingSubscriberThatConsumesNothing() {
        stage.expectFailures();
        relay.splice(1, 800, BLOCKING.withStallTimeout(200));
        Received slow = relay.hold(1, 600);
        // On a busy machine, a fast subscriber could also consume nothing for this long. If it skips, no limit applies.
        Received fast = fast(SlowPolicy.SKIP);
        fast.awaitAll(sent.deliver(50, 100));
        slow.awaitEnd();
        assertThat(slow.failure()).isNotNull();
        eventually(() -> relay.broker().failures().size() == 1);
        assertThat(relay.broker().awaitFailures()).singleElement().asString().contains("consumed nothing");
        assertThat(relay.broker().out().subscriptionCount(1)).isEqualTo(1);
    }

    // Disconnect.

    @Test
    void shouldDisconnectASubscriberThatExceedsTheLagLimit() {
        stage.expectFailures();
        relay.splice(1, 2000, DISCONNECTING.withLagLimits(700, 30_000));
        Received slow = relay.hold(1, 500);
        Received fast = relay.subscribe(1, 500);
        Connection there = relay.broker().lastAccepted();
        for (int i = 0; i < 10; i++) {
            deliverTo(fast, there);
        }
        assertThat(relay.broker().failures()).isEmpty();
        for (int i = 0; i < 40; i++) {
            deliverTo(fast, there);
        }
        slow.awaitEnd();
        assertThat(slow.failure()).isNotNull();
        eventually(() -> relay.broker().failures().size() == 1);
        assertThat(relay.broker().awaitFailures()).singleElement().asString().contains("lags", "700");
    }

    @Test
    void shouldDisconnectASubscriberForWhichADeliveryWaitsTooLong() {
        stage.expectFailures();
        relay.splice(1, 800, DISCONNECTING.withLagLimits(0, 200));
        Received slow = relay.hold(1, 600);
        // On a busy machine, a delivery could also wait this long for a fast subscriber.
        Received fast = fast(SlowPolicy.BLOCK);
        fast.awaitAll(sent.deliver(100, 10));
        eventually(() -> relay.broker().failures().size() == 1);
        assertThat(relay.broker().awaitFailures()).singleElement().asString().contains("lags by", " ms");
        slow.awaitEnd();
        fast.awaitAll(sent.deliver(100, 30));
    }

    // Skip.

    @Test
    void shouldReportMissedDataToASkippingSubscriberAndServeTheOthers() {
        relay.splice(1, 800, SKIPPING);
        Received slow = relay.hold(1, 600);
        Received fast = relay.subscribe(1, 500);
        for (int i = 0; i < 100; i++) {
            deliverFreely(100);
            fast.awaitPosition(sent.length());
        }
        assertThat(fast.awaitAll(sent).gaps()).isEmpty();
        slow.release();
        slow.awaitAll(sent);
        assertThat(slow.lost()).isBetween(7000L, 9400L);
        slow.awaitAll(sent.deliver(100, 50));
    }

    @Test
    void shouldSkipForAPublisherThatKeepsUnconsumedDataInASmallerBuffer() {
        Sent resuming = relay.publish(2, 1000, BLOCKING.withResume(true));
        SubscribeOptions wishes =
                SubscribeOptions.DEFAULTS.withFlowControl(true).withTransferLimit(100);
        relay.splice(2, 8000, wishes, SKIPPING);
        Received slow = relay.hold(2, 300);
        Received fast = relay.subscribe(2, 500);
        for (int i = 0; i < 30; i++) {
            eventually(() -> resuming.offer(100), () -> "space for 100 bytes after " + resuming.length());
            // Otherwise, the fast subscriber could also skip data on a busy machine.
            fast.awaitPosition(resuming.length());
        }
        assertThat(fast.awaitAll(resuming).gaps()).isEmpty();
        slow.release();
        slow.awaitAll(resuming);
        assertThat(slow.lost()).isPositive();
    }

    @Test
    void shouldSkipNothingWhileThereIsSpace() {
        Received arriving = relay.splice(1, 4000, SKIPPING);
        Received slow = relay.hold(1, 1000);
        arriving.awaitAll(sent.deliver(100, 25));
        slow.awaitPosition(1000);
        slow.release();
        slow.awaitAll(sent);
        assertThat(slow.gaps()).isEmpty();
    }

    @Test
    void shouldSkipRepeatedly() {
        relay.splice(1, 800, SKIPPING);
        Received slow = relay.hold(1, 600);
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 20; j++) {
                deliverFreely(1 + (i + j) * 37 % 300);
            }
            slow.consume(slow.unconsumed());
        }
        slow.release();
        slow.awaitAll(sent.deliver(100, 50));
        assertThat(slow.gaps()).isNotEmpty();
    }

    @Test
    void shouldMakeSpaceForADeliveryLongerThanTheFreeSpace() {
        relay.splice(1, 1000, SKIPPING);
        Received slow = relay.hold(1, 700);
        Received fast = relay.subscribe(1, 1000);
        slow.awaitAll(sent.deliver(700));
        fast.awaitAll(sent.deliver(400));
        fast.awaitAll(sent.deliver(700));
        slow.release();
        slow.awaitAll(sent);
        assertThat(fast.gaps()).isEmpty();
        assertThat(slow.lost()).isPositive();
    }

    @Test
    void shouldDropTheSentPartOfALongDelivery() {
        relay.publishing().out().removeBuffer(1);
        relay = new SpliceFixture(stage);
        sent = relay.publish(1, 2 * LARGE, BLOCKING);
        relay.splice(1, LARGE, SKIPPING);
        Received slow = relay.hold(1, LARGE);
        for (int length : new int[] {600_000, 900_000, 900_000, 900_000, 300_000}) {
            deliverFreely(length);
        }
        eventually(() -> slow.lost() > 0);
        slow.release();
        slow.awaitAll(sent);
    }

    @Test
    void shouldRecoverTheMemoryOfWritesToAStoppedSubscriberAndServeTheOthers() throws Exception {
        relay = new SpliceFixture(stage, Stage.hasty(), Stage.impatient(stage.mayBeHeldByStoppedSubscribers()));
        stage.expectFailures(stage.mayBeHeldByStoppedSubscribers());
        sent = relay.publish(1, LARGE, BLOCKING);
        relay.splice(1, LARGE, SKIPPING);
        Received stopped = relay.subscribe(1, 16 * LARGE);
        try (Blocked blocked = Blocked.stop(stopped.inbox(), relay.broker().lastAccepted())) {
            Received other = relay.elsewhere(1).subscribe(LARGE);
            Connection toOther = relay.broker().lastAccepted();
            for (int i = 0; i < 30; i++) {
                deliverFreely(300_001 + i);
                other.awaitAll(sent);
                relay.broker().awaitSentTo(toOther);
            }
            assertThat(other.gaps()).isEmpty();
            blocked.release(stopped, relay.broker(), sent, 1);
            other.awaitAll(sent.deliver(1000, 10));
        }
    }

    @Test
    void shouldNotDisconnectASkippingSubscriberHoweverLittleItConsumes() {
        stage.expectFailures();
        relay.splice(1, 800, SKIPPING.withStallTimeout(50));
        Received skipping = relay.hold(1, 600);
        Received stalled = hold(600, SlowPolicy.BLOCK);
        eventually(() -> {
            sent.fill(100);
            return stalled.isEnded();
        });
        for (int i = 0; i < 30; i++) {
            deliverFreely(100);
        }
        skipping.release();
        skipping.awaitAll(sent.deliver(100, 20));
    }

    // Policies of subscribers.

    @Test
    void shouldApplyThePolicyThatEachSubscriberRequested() {
        Received arriving = relay.splice(1, 800, BLOCKING);
        Received skipping = hold(600, SlowPolicy.SKIP);
        for (int i = 0; i < 50; i++) {
            deliverFreely(100);
        }
        arriving.awaitPosition(sent.length());
        Received blocking = relay.of(1).from(sent.length()).holding();
        blocking.subscribe(600);
        long before = sent.length();
        // The publisher receives credit for free space in steps of a quarter of the capacity.
        sent.fillUp(100, before + 2200, before + 2400);
        skipping.release();
        blocking.release();
        assertThat(skipping.awaitAll(sent).gaps()).isNotEmpty();
        assertThat(blocking.awaitAll(sent).gaps()).isEmpty();
    }

    @Test
    void shouldMakeAllSubscribersSkipWhenTheBrokerRequestsIt() {
        Received arriving = relay.splice(1, 800, BLOCKING);
        Received slow = relay.hold(1, 600);
        sent.fillUp(100, 2200, 2400);
        arriving.awaitPosition(1200);
        slow.awaitPosition(600);
        assertThat(relay.broker().out().skip(1)).isNotNegative();
        sent.deliver(100, 5);
        slow.release();
        slow.awaitAll(sent);
        assertThat(slow.lost()).isPositive();
    }
}

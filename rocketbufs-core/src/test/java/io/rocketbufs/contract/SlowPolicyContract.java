package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.SubscribeOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a slow subscriber delays the producer, is disconnected, or skips to the newest data, according to the
 * policy of the buffer or of the subscriber.
 */
class SlowPolicyContract {
    private static final BufferOptions BLOCKING = BufferOptions.DEFAULTS;
    private static final BufferOptions DISCONNECTING = BLOCKING.withSlowPolicy(SlowPolicy.DISCONNECT);
    private static final BufferOptions SKIPPING = BLOCKING.withSlowPolicy(SlowPolicy.SKIP);
    private static final int LARGE = 1 << 20;

    private final Stage stage;
    private Node sending;
    private Node receiving;
    private Sent sent;

    SlowPolicyContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node(Stage.hasty());
        receiving = stage.node(Stage.hasty());
        sent = new Sent(sending.out(), 1, 0);
    }

    /** Adds a subscriber that consumes nothing. */
    private Received slow(int capacity) {
        return slow(capacity, SubscribeOptions.DEFAULTS);
    }

    private Received slow(int capacity, SubscribeOptions options) {
        return receiving.inbox(sending).of(1).holding().subscribe(capacity, options);
    }

    /** Adds a subscriber that consumes everything, and to which the given policy applies. */
    private Received fast(SlowPolicy policy) {
        return receiving.inbox(sending).of(1).subscribe(500, SubscribeOptions.DEFAULTS.withSlowPolicy(policy));
    }

    /** Delivers 100 bytes, and waits until they have been sent to the given subscriber, which receives them. */
    private void deliverTo(Received fast, Connection there) {
        fast.awaitAll(sent.deliver(100));
        sending.awaitSentTo(there);
    }

    /** Delivers the given number of bytes. No slow subscriber may delay this for long. */
    private void deliverFreely(int count) {
        eventually(() -> sent.offer(count), () -> "space for " + count + " bytes after " + sent.length());
    }

    // Block.

    @Test
    void shouldDelayTheProducerForTheSlowestSubscriber() {
        sending.out().createBuffer(1, 1000, BLOCKING);
        Received slow = slow(600);
        Received fast = receiving.subscribe(sending, 1, 500);
        eventually(() -> {
            sent.fill(10);
            return sent.length() == 1600;
        });
        fast.awaitAll(sent);
        slow.awaitPosition(600);
        assertThat(sent.offer(10)).isFalse();
        slow.release();
        slow.awaitAll(sent.deliver(10, 200));
        fast.awaitAll(sent);
        assertThat(slow.gaps()).isEmpty();
    }

    @Test
    void shouldDisconnectABlockingSubscriberThatConsumesNothing() {
        stage.expectFailures();
        sending.out().createBuffer(1, 1000, BLOCKING.withStallTimeout(200));
        Received slow = slow(600);
        // On a busy machine, a fast subscriber could also consume nothing for this long. If it skips, no limit applies.
        Received fast = fast(SlowPolicy.SKIP);
        fast.awaitAll(sent.deliver(50, 100));
        slow.awaitEnd();
        assertThat(slow.failure()).isNotNull();
        eventually(() -> sending.failures().size() == 1);
        assertThat(sending.awaitFailures()).singleElement().asString().contains("consumed nothing");
        assertThat(sending.out().subscriptionCount(1)).isEqualTo(1);
    }

    /** No time limit applies to such a subscriber. */
    @Test
    void shouldHaveNoDataPendingForASubscriberThatHasReceivedEverythingButConsumesNothing() {
        sending.out().createBuffer(1, 1000, BLOCKING);
        Received full = slow(600);
        full.awaitAll(sent.deliver(100, 6));
        sending.awaitSentTo(sending.lastAccepted());
        full.release();
        full.awaitAll(sent.deliver(100, 20));
    }

    // Disconnect.

    @Test
    void shouldDisconnectASubscriberThatExceedsTheLagLimit() {
        stage.expectFailures();
        sending.out().createBuffer(1, 1000, DISCONNECTING.withLagLimits(700, 30_000));
        Received slow = slow(100);
        Received fast = receiving.subscribe(sending, 1, 500);
        Connection there = sending.lastAccepted();
        for (int i = 0; i < 8; i++) {
            deliverTo(fast, there);
        }
        assertThat(sending.failures()).isEmpty();
        for (int i = 0; i < 30; i++) {
            deliverTo(fast, there);
        }
        slow.awaitEnd();
        assertThat(slow.failure()).isNotNull();
        eventually(() -> sending.failures().size() == 1);
        assertThat(sending.awaitFailures()).singleElement().asString().contains("lags", "700");
    }

    @Test
    void shouldDisconnectASubscriberForWhichADeliveryWaitsTooLong() {
        stage.expectFailures();
        sending.out().createBuffer(1, 1000, DISCONNECTING.withLagLimits(0, 200));
        Received slow = slow(600);
        // On a busy machine, a delivery could also wait this long for a fast subscriber.
        Received fast = fast(SlowPolicy.BLOCK);
        sent.deliver(100, 10);
        fast.awaitAll(sent);
        eventually(() -> sending.failures().size() == 1);
        assertThat(sending.awaitFailures()).singleElement().asString().contains("lags by", " ms");
        slow.awaitEnd();
        fast.awaitAll(sent.deliver(100, 30));
    }

    @Test
    void shouldDelayTheProducerForASubscriberWithinTheLagLimit() {
        sending.out().createBuffer(1, 1000, DISCONNECTING.withLagLimits(1000, 30_000));
        Received slow = slow(600);
        eventually(() -> {
            sent.fill(100);
            return sent.length() == 1600;
        });
        slow.awaitPosition(600);
        assertThat(sent.offer(100)).isFalse();
        slow.release();
        slow.awaitAll(sent.deliver(100, 20));
    }

    @Test
    void shouldDisconnectASubscriberWithinTheLagLimitThatConsumesNothing() {
        stage.expectFailures();
        sending.out()
                .createBuffer(1, 1000, DISCONNECTING.withLagLimits(1000, 30_000).withStallTimeout(100));
        slow(600);
        sent.deliver(100, 30);
        eventually(() -> sending.failures().size() == 1);
        assertThat(sending.awaitFailures()).singleElement().asString().contains("consumed nothing");
    }

    // Skip.

    @Test
    void shouldReportMissedDataToASkippingSubscriberAndServeTheOthers() {
        sending.out().createBuffer(1, 1000, SKIPPING);
        Received slow = slow(600);
        Received fast = receiving.subscribe(sending, 1, 500);
        for (int i = 0; i < 100; i++) {
            deliverFreely(100);
            fast.awaitPosition(sent.length());
        }
        slow.release();
        slow.awaitAll(sent);
        assertThat(slow.lost()).isBetween(7000L, 9400L);
        assertThat(fast.awaitAll(sent).gaps()).isEmpty();
        assertThat(sending.out().subscriptionTotals().lostLength()).isEqualTo(slow.lost());
        slow.awaitAll(sent.deliver(100, 50));
        fast.awaitAll(sent);
        // Positions in the sent data include skipped data. A write is counted after it has been handed to the
        // transport.
        eventually(() -> {
            long total = sending.out().subscriptionTotals().sentLength();
            return total > 0
                    && total
                            == sending.out().subscriptions().stream()
                                    .mapToLong(SubscriptionState::sentLength)
                                    .sum();
        });
    }

    @Test
    void shouldSkipRepeatedly() {
        sending.out().createBuffer(1, 1000, SKIPPING);
        Received slow = slow(600);
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
    void shouldDropTheSentPartOfALongDelivery() {
        sending.out().createBuffer(1, 2 * LARGE, SKIPPING);
        Received slow = slow(LARGE);
        deliverFreely(600_000);
        slow.awaitPosition(600_000);
        deliverFreely(900_000);
        // Part of the previous delivery may already have been sent, if the transport can write a delivery in parts and
        // there is credit.
        deliverFreely(900_000);
        deliverFreely(900_000);
        slow.release();
        slow.awaitAll(sent);
        assertThat(slow.lost()).isPositive();
    }

    @Test
    void shouldRecoverTheMemoryOfWritesToAStoppedPeerAndServeTheOthers() throws Exception {
        sending = stage.node(Stage.impatient(stage.mayBeHeldByStoppedPeers()));
        sent = new Sent(sending.out(), 1, 0);
        stage.expectFailures(stage.mayBeHeldByStoppedPeers());
        sending.out().createBuffer(1, LARGE, SKIPPING);
        Received received = receiving.subscribe(sending, 1, 16 * LARGE);
        try (Blocked stopped = Blocked.stop(received.inbox(), sending.lastAccepted())) {
            Received other = stage.node().subscribe(sending, 1, LARGE);
            Connection toOther = sending.lastAccepted();
            for (int i = 0; i < 30; i++) {
                deliverFreely(300_001 + i);
                other.awaitAll(sent);
                sending.awaitSentTo(toOther);
            }
            assertThat(other.gaps()).isEmpty();
            stopped.release(received, sending, sent, 1);
            other.awaitAll(sent.deliver(1000, 10));
        }
        if (stage.capabilities().withdraws() && stage.capabilities().remoteCpu()) {
            assertThat(received.lost()).isPositive();
        }
    }

    @Test
    void shouldNotDisconnectASkippingSubscriberHoweverLittleItConsumes() {
        stage.expectFailures();
        sending.out().createBuffer(1, 1000, SKIPPING.withStallTimeout(50));
        sending.out().createBuffer(2, 1000, BLOCKING.withStallTimeout(200));
        Received slow = slow(600);
        Received stalled = receiving.inbox(sending).of(2).holding().subscribe(600);
        for (int i = 0; i < 30; i++) {
            deliverFreely(100);
        }
        new Sent(sending.out(), 2, 0).deliver(100, 7);
        stalled.awaitEnd();
        slow.release();
        slow.awaitAll(sent.deliver(100, 20));
    }

    // Policies of subscribers.

    @Test
    void shouldApplyThePolicyThatTheSubscriberRequested() {
        sending.out().createBuffer(1, 1000, BLOCKING);
        sending.out().createBuffer(2, 1000, SKIPPING);
        Received skipping = slow(600, SubscribeOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP));
        for (int i = 0; i < 50; i++) {
            deliverFreely(100);
        }
        Received blocking = receiving
                .inbox(sending)
                .of(2)
                .holding()
                .subscribe(600, SubscribeOptions.DEFAULTS.withSlowPolicy(SlowPolicy.BLOCK));
        Sent held = new Sent(sending.out(), 2, 0);
        eventually(() -> {
            held.fill(100);
            return held.length() == 1600;
        });
        blocking.awaitPosition(600);
        assertThat(held.offer(100)).isFalse();
        skipping.release();
        blocking.release();
        assertThat(skipping.awaitAll(sent).gaps()).isNotEmpty();
        assertThat(blocking.awaitAll(held).gaps()).isEmpty();
    }

    @Test
    void shouldMakeAllSubscribersSkipWhenTheProducerRequestsIt() {
        sending.out().createBuffer(1, 1000, BLOCKING);
        Received slow = slow(600);
        eventually(() -> {
            sent.fill(100);
            return sent.length() == 1600;
        });
        assertThat(sending.out().skip(1)).isPositive();
        assertThat(sending.out().skip(2)).isNegative();
        for (int i = 0; i < 10; i++) {
            deliverFreely(100);
        }
        slow.release();
        slow.awaitAll(sent);
        assertThat(slow.gaps()).containsExactly(1000L);
    }
}

package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a broker forwards whole deliveries in order, from the same memory, to each subscriber at the subscriber's
 * own pace.
 */
class SpliceContract {
    private static final BufferOptions DEFAULTS = BufferOptions.DEFAULTS;
    private static final BufferOptions APART = DEFAULTS.withCoalescing(false);

    private final Stage stage;
    private SpliceFixture relay;

    SpliceContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        relay = new SpliceFixture(stage);
    }

    // Whole and in order.

    @Test
    void shouldWrapAtEveryOffsetOfAllThreeBuffers() {
        int longest = 5;
        Inbox inbox = relay.subscriber();
        List<Sent> sent = new ArrayList<>();
        List<Received> received = new ArrayList<>();
        for (int published = 1; published <= longest; published++) {
            for (int spliced = 1; spliced <= longest; spliced++) {
                for (int subscribed = Math.max(1, spliced / 4); subscribed <= longest; subscribed++) {
                    int id = sent.size();
                    sent.add(relay.publish(id, published, DEFAULTS));
                    relay.splice(id, spliced, DEFAULTS);
                    received.add(inbox.of(id).seed(id).subscribe(subscribed));
                    int most = Math.min(published, Math.min(spliced, subscribed));
                    for (int i = 0; i < 4 * longest; i++) {
                        sent.get(id).deliver(1 + i % most);
                    }
                }
            }
        }
        for (int i = 0; i < sent.size(); i++) {
            received.get(i).awaitAll(sent.get(i));
        }
    }

    @Test
    void shouldServeSubscribersOfDifferentCapacity() {
        Sent sent = relay.publish(1, 20_000, DEFAULTS);
        relay.splice(1, 7001, DEFAULTS);
        List<Received> all = new ArrayList<>();
        for (long capacity : List.of(1750, 2003, 7001, 1_000_003)) {
            all.add(relay.subscribe(1, capacity));
        }
        sent.deliverRandomly(500_000, 1750, 5);
        all.forEach(received -> received.awaitAll(sent));
        assertThat(all).allMatch(received -> received.gaps().isEmpty());
    }

    @Test
    void shouldForwardLongDeliveriesWhole() {
        int length = 900_001;
        Sent sent = relay.publish(1, 1 << 20, DEFAULTS);
        relay.splice(1, 1 << 20, DEFAULTS);
        Received received = relay.subscribe(1, 1 << 20);
        sent.deliver(length, 5).deliver(1, 10);
        received.awaitAll(sent);
        assertThat(received.transfers()).filteredOn(each -> each == length).hasSize(5);
    }

    @Test
    void shouldForwardOnlyTheBytesOfItsOwnBuffer() {
        Sent sent = relay.publish(1, 1000, DEFAULTS);
        relay.spliceBetweenNeighbours(1, 999, DEFAULTS);
        Received small = relay.subscribe(1, 400);
        Received large = relay.subscribe(1, 16 << 20);
        sent.deliverRandomly(100_000, 400, 8);
        small.awaitAll(sent);
        large.awaitAll(sent);
    }

    @Test
    void shouldForwardManyBuffersOfOnePublisher() {
        Inbox inbox = relay.subscriber();
        List<Sent> sent = new ArrayList<>();
        List<Received> received = new ArrayList<>();
        for (int id = 0; id < 50; id++) {
            sent.add(relay.publish(id, 1000, DEFAULTS));
            relay.splice(id, 900, DEFAULTS);
            received.add(inbox.of(id).seed(id).subscribe(500));
        }
        for (int i = 0; i < 50; i++) {
            sent.forEach(each -> each.deliver(77));
        }
        for (int id = 0; id < 50; id++) {
            received.get(id).awaitAll(sent.get(id));
        }
    }

    @Test
    void shouldForwardThroughTwoBrokers() {
        Sent sent = relay.publish(1, 5000, DEFAULTS);
        relay.splice(1, 4000, DEFAULTS);
        Node second = stage.broker(Stage.hasty());
        // The second broker subscribes over its own default transport, which reaches both brokers.
        Inbox between = second.inbox(relay.broker());
        between.of(1).seed(1).spliced().subscribe(3000);
        second.out().splice(between.in(), 1);
        Received received =
                stage.subscriber(Stage.hasty()).inbox(second).of(1).seed(1).subscribe(2000);
        received.awaitAll(sent.deliverRandomly(200_000, 1000, 4));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldDelayThePublisherForTheSlowestSubscriber() {
        Sent sent = relay.publish(1, 1000, APART);
        relay.splice(1, 800, APART);
        Received slow = relay.hold(1, 600);
        Received fast = relay.subscribe(1, 500);
        // The publisher receives credit for free space in steps of a quarter of the capacity.
        sent.fillUp(10, 2200, 2400);
        slow.awaitPosition(600);
        fast.awaitPosition(1200);
        slow.consume(200);
        sent.fillUp(10, 2400, 2600);
        slow.release();
        slow.awaitAll(sent.deliverRandomly(50_000, 200, 1));
        fast.awaitAll(sent);
    }

    @Test
    void shouldDiscardDataWithoutSubscribers() {
        Sent sent = relay.publish(1, 1000, DEFAULTS);
        relay.splice(1, 800, DEFAULTS);
        sent.deliver(100, 100);
        Stage.get(relay.publishing().out().flush(1));
        Received received = relay.of(1).from(sent.length()).subscribe(800);
        received.awaitAll(sent.deliver(100, 100));
        assertThat(received.length()).isEqualTo(10_000);
    }

    @Test
    void shouldStartLateSubscribersAtADeliveryBoundaryDuringTraffic() {
        Sent sent = relay.publish(1, 20_000, DEFAULTS);
        relay.splice(1, 10_000, DEFAULTS);
        List<Received> all = new ArrayList<>();
        all.add(relay.subscribe(1, 3000));
        for (int i = 0; i < 10; i++) {
            Received late = relay.of(1).startingAnywhere(sent);
            CompletableFuture<Void> subscribed = late.trySubscribe(2500 + 100 * i, SubscribeOptions.DEFAULTS);
            do {
                // Long enough to determine a joining subscriber's position from the bytes.
                sent.deliver(50 + 20 * i, 3);
            } while (!subscribed.isDone());
            all.add(late);
        }
        sent.deliver(10);
        all.forEach(received -> received.awaitAll(sent));
        assertThat(all).allMatch(received -> received.gaps().isEmpty());
    }

    @Test
    void shouldLoseNothingWhenASubscriberIsExpected() {
        Sent sent = relay.publish(1, 1000, APART);
        relay.splice(1, 800, APART);
        Inbox inbox = relay.subscriber();
        relay.broker().out().expect(1, relay.broker().lastAccepted(), 60_000);
        sent.fillUp(10, 1800, 1800);
        Received received = inbox.of(1).seed(1).subscribe(200);
        received.awaitAll(sent.deliver(10, 500));
        assertThat(received.gaps()).isEmpty();
    }

    // Options.

    @Test
    void shouldRefuseASubscriberTooSmallForWholeTransfers() {
        Sent sent = relay.publish(1, 10_000, DEFAULTS);
        relay.splice(1, 4000, DEFAULTS);
        assertThat(failureOf(relay.of(1).trySubscribe(999, SubscribeOptions.DEFAULTS)))
                .hasMessageContaining("999")
                .hasMessageContaining("1000");
        relay.subscribe(1, 1000).awaitAll(sent.deliverRandomly(50_000, 1000, 2));
    }

    @Test
    void shouldRespectTheTransferLimitOfALaggingSubscriber() {
        Sent sent = relay.publish(1, 10_000, APART);
        Received arriving = relay.splice(1, 4000, DEFAULTS);
        Received limited = relay.of(1).holding();
        limited.subscribe(1000, SubscribeOptions.DEFAULTS.withTransferLimit(100));
        sent.deliver(50, 60);
        limited.awaitPosition(1000);
        arriving.awaitPosition(3000);
        limited.release();
        limited.awaitAll(sent);
        assertThat(limited.transfers()).allMatch(length -> length <= 100);
    }

    @Test
    void shouldCoalesceWholeTransfersUpToTheLimitOfEachSubscriber() {
        Sent sent = relay.publish(1, 10_000, APART);
        Received arriving = relay.splice(1, 8000, DEFAULTS);
        Received limited = relay.of(1).holding();
        Received unlimited = relay.hold(1, 2000);
        limited.subscribe(2000, SubscribeOptions.DEFAULTS.withTransferLimit(250));
        sent.deliver(50, 120);
        limited.awaitPosition(2000);
        unlimited.awaitPosition(2000);
        arriving.awaitPosition(6000);
        limited.release();
        unlimited.release();
        limited.awaitAll(sent);
        unlimited.awaitAll(sent);
        assertThat(limited.transfers()).anyMatch(length -> length > 50).allMatch(length -> length <= 250);
        assertThat(unlimited.transfers()).anyMatch(length -> length > 250);
    }

    @Test
    void shouldSendOneTransferForEachArrivalWithoutCoalescing() {
        int count = 12_000;
        Sent sent = relay.publish(1, 10_000, APART);
        Received arriving = relay.splice(1, 16_000, APART);
        Received received = relay.hold(1, 4000);
        sent.deliver(1, count);
        received.awaitPosition(4000);
        arriving.awaitPosition(count);
        received.release();
        received.awaitAll(sent);
        assertThat(received.transfers()).hasSize(count);
    }

    // Beginning.

    @Test
    void shouldMissNothingWhenSplicedImmediatelyAfterSubscribing() {
        Inbox inbox = relay.subscriber();
        Connection expected = relay.broker().lastAccepted();
        Node publisher = stage.node(Stage.hasty());
        publisher.out().createBuffer(1, 1000, DEFAULTS.withHold(true));
        Sent sent = new Sent(publisher.out(), 1, 1).deliver(100, 7);
        CompletableFuture<Void> spliced = new CompletableFuture<>();
        relay.connect(publisher, connection -> {
            RIn in = new RIn(connection);
            in.subscribe(1, 1000);
            relay.broker().out().splice(in, 1);
            relay.broker().out().expect(1, expected, 60_000);
            spliced.complete(null);
        });
        Stage.get(spliced);
        inbox.of(1).seed(1).subscribe(1000).awaitAll(sent.deliver(100, 20));
    }
}

package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that buffers and subscriptions can start and end at any time, without affecting other buffers and
 * subscriptions.
 */
class SubscriptionContract {
    private static final SubscribeOptions DEFAULTS = SubscribeOptions.DEFAULTS;

    private final Stage stage;
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private Node sending;
    private Node receiving;
    private Inbox inbox;

    SubscriptionContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        inbox = receiving.inbox(sending);
        sending.out().setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscribed(int bufferId, Connection connection) {
                events.add("subscribed " + bufferId);
            }

            @Override
            public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
                events.add("ended " + bufferId + " " + undelivered + " " + reason);
            }
        });
    }

    @Test
    void shouldRefuseABufferThatDoesNotExist() {
        assertThat(failureOf(inbox.of(9).trySubscribe(100, DEFAULTS)))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("buffer 9");
        sending.out().createBuffer(9, 100);
        inbox.of(9).subscribe(100).awaitAll(new Sent(sending.out(), 9, 0).deliver(10, 100));
        assertThat(events).containsExactly("subscribed 9");
    }

    @Test
    void shouldTellBothSidesWhyADeliveryDoesNotFit() {
        sending.out().createBuffer(9, 10_000);
        Received small = inbox.of(9).subscribe(500);
        new Sent(sending.out(), 9, 0).deliver(501);
        small.awaitEnd();
        String reason = "a delivery of 501 bytes into buffer 9 exceeds the subscriber's capacity=500;"
                + " subscribe with a larger capacity";
        assertThat(small.failure()).contains(reason);
        eventually(() -> events.size() == 2);
        assertThat(events).containsExactly("subscribed 9", "ended 9 501 " + reason);
    }

    @Test
    void shouldShowTheBytesOfItsOwnMemoryAfterASubscriptionToTheSameIdWasRefused() {
        CompletableFuture<CompletableFuture<Void>> first = new CompletableFuture<>();
        inbox.in().setControlMessageCallback(message -> {
            // Runs on the worker, so that the answer cannot arrive before the first check.
            CompletableFuture<Void> subscribed = inbox.in().subscribe(1, 1000);
            assertThat(inbox.in().bufferRef(1).length()).isZero();
            first.complete(subscribed);
        });
        sending.lastAccepted().sendControlMessage(ByteBuffer.allocate(0));
        assertThat(failureOf(Stage.get(first))).hasMessageContaining("buffer 1");
        // The next subscription may receive the memory of the refused subscription.
        sending.out().createBuffer(2, 1000);
        Received other = inbox.of(2).seed(2).holding().subscribe(1000);
        other.awaitAll(new Sent(sending.out(), 2, 2).deliver(1000));
        sending.out().createBuffer(1, 1000);
        Received received = inbox.of(1).seed(1).holding().subscribe(1000);
        received.awaitAll(new Sent(sending.out(), 1, 1).deliver(300));
        Segment data = inbox.in().bufferRef(1);
        assertThat(data.length()).isEqualTo(300);
        assertThat(new Pattern(1).firstWrong(data, 0)).isEqualTo(-1);
    }

    @Test
    void shouldRejectInvalidRequestsImmediately() {
        sending.out().createBuffer(1, 100);
        inbox.of(1).subscribe(100);
        assertThatThrownBy(() -> inbox.in().subscribe(1, 100)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> inbox.in().subscribe(2, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> inbox.in().unsubscribe(3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> inbox.in().dataConsumed(1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RIn(inbox.connection())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sending.out().createBuffer(1, 100)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sending.out().removeBuffer(2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldReportWhenSubscribersJoinAndLeave() {
        sending.out().createBuffer(1, 1000);
        Received received = inbox.of(1).holding().subscribe(100);
        new Sent(sending.out(), 1, 0).deliver(50, 10);
        received.awaitPosition(100);
        Stage.get(inbox.in().unsubscribe(1));
        eventually(() -> events.size() == 2);
        assertThat(events).containsExactly("subscribed 1", "ended 1 400 null");
    }

    @Test
    void shouldUnsubscribeAndSubscribeAgainDuringTraffic() {
        sending.out().createBuffer(1, 10_000);
        Received beside = receiving.subscribe(sending, 1, 3000);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 50; i++) {
            Received received = inbox.of(1).startingAnywhere(sent).subscribe(1 + 3000 / (i + 1) + 300);
            sent.deliverRandomly(sent.length() + 3000, 300, i);
            received.awaitPosition(1);
            CompletableFuture<Void> unsubscribed = inbox.in().unsubscribe(1);
            sent.deliverRandomly(sent.length() + 1000, 300, i);
            received.checkBoundaries(sent);
            if (i % 2 == 0) {
                Stage.get(unsubscribed);
            }
        }
        beside.awaitAll(sent);
        eventually(() -> sending.out().subscriptionCount(1) == 1);
    }

    @Test
    void shouldUnsubscribeFromWithinTheCallback() {
        sending.out().createBuffer(1, 10_000);
        Received received = inbox.of(1);
        inbox.in().setDataInCallback((bufferId, data) -> {
            received.onData(data);
            inbox.in().unsubscribe(bufferId);
        });
        received.subscribe(100);
        new Sent(sending.out(), 1, 0).deliver(100, 200);
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        assertThat(received.transfers()).containsExactly(100L);
        eventually(() -> receiving.rocketBufs().memoryInUse() == 0);
    }

    @Test
    void shouldConsumeInTheCallbackAfterAnotherThreadHasSubscribedAgain() {
        sending.out().createBuffer(1, 10_000);
        AtomicBoolean first = new AtomicBoolean(true);
        AtomicReference<CompletableFuture<Void>> second = new AtomicReference<>();
        inbox.in().setDataInCallback((bufferId, data) -> {
            if (first.compareAndSet(true, false)) {
                CompletableFuture.runAsync(() -> {
                            inbox.in().unsubscribe(1);
                            second.set(inbox.in().subscribe(1, 100));
                        })
                        .join();
            }
            inbox.in().dataConsumed(bufferId, data.length());
        });
        Stage.get(inbox.in().subscribe(1, 100));
        Sent sent = new Sent(sending.out(), 1, 0).deliver(60, 1);
        eventually(() -> second.get() != null);
        Stage.get(second.get());
        sent.deliver(60, 10);
        eventually(() -> inbox.in().receivedPosition(1) == 600);
        assertThat(inbox.in().bufferRef(1).length()).isZero();
    }

    @Test
    void shouldUnsubscribeBeforeTheAnswerArrives() {
        sending.out().createBuffer(1, 1000);
        for (int i = 0; i < 100; i++) {
            inbox.of(1).trySubscribe(100, DEFAULTS);
            inbox.in().unsubscribe(1);
            CompletableFuture<Void> refused = inbox.of(2).trySubscribe(100, DEFAULTS);
            unsubscribe(2, refused);
        }
        inbox.of(1).subscribe(100).awaitAll(new Sent(sending.out(), 1, 0).deliver(10, 100));
        eventually(() -> sending.out().subscriptionCount(1) == 1);
    }

    /** Unsubscribes, which fails if the subscription has already been refused. */
    private void unsubscribe(int bufferId, CompletableFuture<Void> refused) {
        try {
            inbox.in().unsubscribe(bufferId);
        } catch (IllegalArgumentException e) {
            assertThat(refused).isCompletedExceptionally();
        }
    }

    @Test
    void shouldUnsubscribeWhileTheBufferEnds() {
        for (int i = 0; i < 200; i++) {
            sending.out().createBuffer(i, 1000);
            Received received = inbox.of(i).subscribe(100);
            Sent sent = new Sent(sending.out(), i, 0).deliver(10, i % 20);
            received.awaitAll(sent);
            sending.out().removeBuffer(i);
            inbox.in().unsubscribe(i);
        }
        eventually(() -> receiving.rocketBufs().memoryInUse() == 0);
        assertThat(inbox.connection().isOpen()).isTrue();
    }

    @Test
    void shouldReportConsumptionWhileUnsubscribing() {
        sending.out().createBuffer(1, 1000);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 100; i++) {
            Received received = inbox.of(1).startingAnywhere(sent).holding().subscribe(100);
            sent.deliver(25, 4);
            received.awaitPosition(sent.length());
            CompletableFuture<Void> consuming = CompletableFuture.runAsync(received::release);
            inbox.in().unsubscribe(1);
            consuming.exceptionally(notSubscribed -> null).join();
        }
        assertThat(inbox.connection().isOpen()).isTrue();
    }

    @Test
    void shouldSendEverythingOfABufferThatIsRemovedAndThenItsEnd() {
        sending.out().createBuffer(1, 100_000);
        Received slow = inbox.of(1).holding().subscribe(1000);
        Received fast = receiving.subscribe(sending, 1, 5000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 700);
        sending.out().removeBuffer(1);
        fast.awaitEnd(sent);
        assertThat(slow.isEnded()).isFalse();
        assertThatThrownBy(() -> sending.out().createBuffer(1, 100)).isInstanceOf(IllegalStateException.class);
        assertThat(failureOf(receiving.inbox(sending).of(1).trySubscribe(100, DEFAULTS)))
                .hasMessageContaining("ended");
        slow.release();
        slow.awaitEnd(sent);
        eventually(() -> sending.rocketBufs().memoryInUse() == 0);
        eventually(() -> Collections.frequency(events, "ended 1 0 null") == 2);
    }

    @Test
    void shouldReuseTheIdOfARemovedBuffer() {
        for (int i = 0; i < 50; i++) {
            sending.out().createBuffer(1, 1000 + i);
            Received received = inbox.of(1).seed(i).subscribe(500);
            Sent sent = new Sent(sending.out(), 1, i).deliver(100, 30);
            sending.out().removeBuffer(1);
            received.awaitEnd(sent);
            Stage.get(inbox.in().unsubscribe(1));
            eventually(() -> sending.rocketBufs().memoryInUse() == 0);
        }
    }

    @Test
    void shouldServeOneBufferTwiceWhileTheOldSubscriptionEnds() {
        sending.out().createBuffer(1, 1000);
        Received old = inbox.of(1).holding().subscribe(200);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        old.awaitPosition(200);
        inbox.in().unsubscribe(1);
        Received young = inbox.of(1).from(1000).subscribe(300);
        young.awaitAll(sent.deliver(100, 100));
    }
}

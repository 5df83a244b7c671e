package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Role;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the loss of a peer loses only the data in transit to that peer, that this loss is reported, and that other
 * peers are not affected.
 */
class LossContract {
    private final Stage stage;
    private final List<String> ends = Collections.synchronizedList(new ArrayList<>());
    private final List<DataOutStatus> statuses = Collections.synchronizedList(new ArrayList<>());
    private Node sending;
    private Node lost;
    private Node staying;

    LossContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        stage.expectFailures();
        sending = stage.node();
        lost = stage.node();
        staying = stage.node();
        sending.out().setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
                ends.add(bufferId + " " + undelivered + " " + (reason != null));
            }
        });
    }

    @Test
    void shouldReportTheDataThatALostSubscriberWasNotSent() {
        sending.out().createBuffer(1, 10_000);
        Received received = lost.inbox(sending).of(1).holding().subscribe(600);
        new Sent(sending.out(), 1, 0).deliver(100, 50);
        received.awaitPosition(600);
        // The data may arrive before the sender is notified that the write has completed.
        eventually(() -> sending.out().subscriptions().get(0).pendingLength() == 4400);
        lost.kill();
        eventually(() -> ends.contains("1 4400 true"));
        assertThat(ends).hasSize(1);
        assertThat(sending.awaitFailures()).hasSize(1);
    }

    @Test
    void shouldReportDeliveriesToALostSubscriberAsLostInOrder() {
        List<Object> contexts = Collections.synchronizedList(new ArrayList<>());
        sending.out().setDataOutCallback((context, status) -> {
            contexts.add(context);
            statuses.add(status);
        });
        sending.out().createBuffer(1, 10_000, BufferOptions.DEFAULTS.withCoalescing(false));
        Received received = lost.inbox(sending).of(1).holding().subscribe(600);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 50; i++) {
            sent.deliver(sending.out().getOutputSegment(1, 100, true), 100, i);
        }
        received.awaitPosition(600);
        eventually(() -> statuses.size() == 6);
        lost.kill();
        eventually(() -> statuses.size() == 50);
        assertThat(statuses.subList(0, 6)).containsOnly(DataOutStatus.SENT);
        assertThat(statuses.subList(6, 50)).containsOnly(DataOutStatus.LOST);
        assertThat(contexts.stream().map(Integer.class::cast)).isSorted().doesNotHaveDuplicates();
        sent.deliver(sending.out().getOutputSegment(1, 100, true), 100, 50);
        eventually(() -> statuses.size() == 51);
        assertThat(statuses.get(50)).isEqualTo(DataOutStatus.NO_SUBSCRIBER);
    }

    @Test
    void shouldFreeTheSpaceOfALostSubscriberAndServeTheOthers() {
        sending.out().createBuffer(1, 2000);
        Received held = lost.inbox(sending).of(1).holding().subscribe(600);
        Received received = staying.subscribe(sending, 1, 300);
        Sent sent = new Sent(sending.out(), 1, 0);
        eventually(() -> {
            sent.fill(100);
            return sent.length() == 2600;
        });
        held.awaitPosition(600);
        received.awaitPosition(2600);
        lost.kill();
        received.awaitAll(sent.deliverRandomly(100_000, 300, 3));
        assertThat(sending.out().subscriptionCount(1)).isEqualTo(1);
    }

    @Test
    void shouldLoseASubscriberDuringTraffic() {
        sending.out().createBuffer(1, 50_000);
        Received received = staying.subscribe(sending, 1, 30_000);
        lost.subscribe(sending, 1, 20_000);
        Sent sent = new Sent(sending.out(), 1, 0).deliverRandomly(300_000, 10_000, 1);
        CompletableFuture<Void> killing = CompletableFuture.runAsync(lost::kill);
        received.awaitAll(sent.deliverRandomly(1_000_000, 10_000, 2));
        Stage.get(killing);
        eventually(() -> sending.out().subscriptionCount(1) == 1);
    }

    @Test
    void shouldKeepReceivedDataReadableWhenThePublisherIsLost() {
        sending.out().createBuffer(1, 10_000);
        Received received = staying.inbox(sending).of(1).holding().subscribe(5000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(1000, 5);
        received.awaitAll(sent);
        sending.kill();
        received.awaitEnd();
        assertThat(received.failure()).isNotNull();
        var data = received.inbox().in().bufferRef(1);
        assertThat(data.length()).isEqualTo(5000);
        assertThat(new Pattern(0).firstWrong(data, 0)).isEqualTo(-1);
        received.release();
        assertThat(received.inbox().in().bufferRef(1).length()).isZero();
    }

    @Test
    void shouldEndEverythingEvenIfCallbacksThrow() {
        sending.out().setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
                ends.add("subscription " + bufferId);
                throw new IllegalStateException("a bug in the application");
            }
        });
        sending.out().createBuffer(1, 1000);
        sending.out().createBuffer(2, 1000);
        Inbox inbox = staying.inbox(sending);
        inbox.in().setBufferEndCallback((bufferId, failure) -> {
            ends.add("buffer " + bufferId);
            throw new IllegalStateException("a bug in the application");
        });
        inbox.of(1).subscribe(1000);
        inbox.of(2).subscribe(1000);
        Inbox other = lost.inbox(sending);
        other.of(1).subscribe(1000);
        other.of(2).subscribe(1000);
        Connection there = sending.lastAccepted();
        lost.kill();
        Stage.get(there.closed());
        assertThat(sending.out().subscriptionCount(1)).isEqualTo(1);
        assertThat(sending.out().subscriptionCount(2)).isEqualTo(1);
        sending.kill();
        Stage.get(inbox.connection().closed());
        assertThat(ends).contains("subscription 1", "subscription 2", "buffer 1", "buffer 2");
    }

    @Test
    void shouldFailSubscriptionsOverALostConnection() {
        Inbox inbox = staying.inbox(sending);
        sending.kill();
        Stage.get(inbox.connection().closed());
        assertThat(inbox.connection().isOpen()).isFalse();
        assertThatThrownBy(() -> inbox.of(1).trySubscribe(100, SubscribeOptions.DEFAULTS))
                .isInstanceOf(TransportException.class);
    }

    @Test
    void shouldFailAnUnansweredSubscriptionWhenThePeerIsLost() throws Exception {
        Blocked blocked = Blocked.on(sending);
        Inbox inbox = blocked.connectAndBlock(staying);
        CompletableFuture<Void> subscribed = inbox.of(1).trySubscribe(100, SubscribeOptions.DEFAULTS);
        CompletableFuture<Void> killing = CompletableFuture.runAsync(sending::kill);
        blocked.release();
        assertThat(failureOf(subscribed)).isInstanceOf(TransportException.class);
        Stage.get(killing);
    }

    @Test
    void shouldFailAConnectWithTheExceptionOfItsCallback() {
        Throwable failure = failureOf(staying.tryConnect(sending, ConnectOptions.as(Role.SUBSCRIBER, connection -> {
            throw new IllegalArgumentException("mine");
        })));
        assertThat(failure).isInstanceOf(TransportException.class).hasStackTraceContaining("mine");
    }

    @Test
    void shouldReleaseTheMemoryOfManyLostConnections() {
        sending.out().createBuffer(1, 10_000);
        long before = sending.rocketBufs().memoryInUse();
        for (int i = 0; i < 10; i++) {
            Node node = stage.node();
            node.subscribe(sending, 1, 1000);
            new Sent(sending.out(), 1, 0).deliver(100, 50);
            node.kill();
        }
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        assertThat(sending.rocketBufs().memoryInUse()).isEqualTo(before);
    }
}

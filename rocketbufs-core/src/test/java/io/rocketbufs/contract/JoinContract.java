package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Role;
import io.rocketbufs.options.BufferOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a late subscriber begins at the start of a delivery, and that an expected subscriber either misses nothing
 * or is notified of how much it missed.
 */
class JoinContract {
    private static final BufferOptions HOLDING = BufferOptions.DEFAULTS.withHold(true);

    private final Stage stage;
    private Node sending;
    private Node receiving;

    JoinContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node(Stage.hasty());
        receiving = stage.node(Stage.hasty());
    }

    @Test
    void shouldDiscardDataWithoutSubscribers() {
        sending.out().createBuffer(1, 100);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(40, 100);
        Received received = receiving.inbox(sending).of(1).from(4000).subscribe(100);
        received.awaitAll(sent.deliver(40, 100));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldStartLateSubscribersAtADeliveryBoundaryDuringTraffic() {
        sending.out().createBuffer(1, 20_000);
        Sent sent = new Sent(sending.out(), 1, 0);
        List<Received> all = new ArrayList<>();
        all.add(receiving.subscribe(sending, 1, 3000));
        for (int i = 0; i < 20; i++) {
            Received late = receiving.inbox(sending).of(1).startingAnywhere(sent);
            CompletableFuture<Void> subscribed =
                    late.trySubscribe(500 + 100 * i, io.rocketbufs.options.SubscribeOptions.DEFAULTS);
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
    void shouldHoldDataForTheFirstSubscriber() {
        sending.out().createBuffer(1, 10_000, HOLDING);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(77);
        assertThat(sent.length()).isBetween(9900L, 10_000L);
        receiving.subscribe(sending, 1, 10_000).awaitAll(sent.deliver(77, 500));
    }

    @Test
    void shouldHoldDataForASubscriberWithLittleCapacity() {
        sending.out().createBuffer(1, 100_000, HOLDING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(77, 100);
        receiving.subscribe(sending, 1, 80).awaitAll(sent.deliver(77, 100));
    }

    @Test
    void shouldHoldDataForTheFirstSubscriberOnly() {
        sending.out().createBuffer(1, 1000, HOLDING);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(500);
        Received first = receiving.subscribe(sending, 1, 1000).awaitAll(sent);
        Received second = receiving.inbox(sending).of(1).from(500).subscribe(1000);
        first.awaitAll(sent.deliver(100, 100));
        second.awaitAll(sent);
        first.inbox().close();
        second.inbox().close();
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        sent.deliver(100, 100);
        receiving.inbox(sending).of(1).from(sent.length()).subscribe(1000).awaitAll(sent.deliver(100, 100));
    }

    @Test
    void shouldLoseNothingWhenTheExpectedSubscriberIsInTime() {
        sending.out().createBuffer(1, 1000);
        Inbox inbox = receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 60_000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(10);
        assertThat(sent.length()).isEqualTo(1000);
        Received received = inbox.of(1).subscribe(100);
        received.awaitAll(sent.deliver(10, 500));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldServeOthersWhileASubscriberIsExpected() {
        sending.out().createBuffer(1, 10_000);
        Received other = receiving.subscribe(sending, 1, 200);
        Inbox inbox = receiving.inbox(sending);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(10, 5);
        sending.out().expect(1, sending.lastAccepted(), 60_000);
        other.awaitAll(sent.deliver(10, 500));
        Received received = inbox.of(1).startingAnywhere(sent).subscribe(70);
        received.awaitAll(sent.deliver(10, 500));
        other.awaitAll(sent);
        assertThat(received.length()).isBetween(10_000L, 10_050L);
    }

    @Test
    void shouldReportMissedDataToALateExpectedSubscriber() {
        sending.out().createBuffer(1, 1000);
        Inbox inbox = receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 30);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        eventually(() -> sent.offer(100));
        Received received = inbox.of(1).subscribe(1000);
        received.awaitAll(sent.deliver(50, 100));
        assertThat(received.gaps()).containsExactly(1100L);
        assertThat(received.length()).isEqualTo(5000);
    }

    @Test
    void shouldStopWaitingForAnExpectedConnectionThatIsLost() {
        sending.out().createBuffer(1, 1000);
        Received other = receiving.subscribe(sending, 1, 1000);
        Inbox inbox = receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 60_000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 10);
        assertThat(sent.offer(100)).isFalse();
        inbox.connection().close();
        other.awaitAll(sent.deliver(100, 100));
    }

    @Test
    void shouldStopWaitingForAnExpectedSubscriberAtTheTimeLimit() {
        sending.out().createBuffer(1, 1000);
        Received other = receiving.subscribe(sending, 1, 1000);
        receiving.inbox(sending);
        sending.out().expect(1, sending.lastAccepted(), 30);
        other.awaitAll(new Sent(sending.out(), 1, 0).deliver(100, 100));
    }

    @Test
    void shouldKeepOnePositionForASubscriberThatIsExpectedTwice() {
        sending.out().createBuffer(1, 1000, HOLDING);
        Inbox inbox = receiving.inbox(sending);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(100, 3);
        sending.out().expect(1, sending.lastAccepted(), 60_000);
        sending.out().expect(1, sending.lastAccepted(), 60_000);
        Received received = inbox.of(1).subscribe(500);
        received.awaitAll(sent.deliver(100, 200));
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldLoseNoDataOfManyPublishersThatSendOneMessageAndLeave() {
        List<Received> all = new ArrayList<>();
        List<Sent> sent = new ArrayList<>();
        int count = 60;
        receiving.onConnection(connection -> {
            synchronized (all) {
                Received received =
                        receiving.inbox(connection).of(1).seed(connection.greeting()[0]);
                received.trySubscribe(1000, io.rocketbufs.options.SubscribeOptions.DEFAULTS);
                all.add(received);
            }
        });
        for (int i = 0; i < count; i++) {
            io.rocketbufs.ROut out = new io.rocketbufs.ROut(sending.rocketBufs());
            out.createBuffer(1, 100, HOLDING);
            sent.add(new Sent(out, 1, i).deliver(64));
            Connection connection = Stage.get(sending.tryConnect(
                    receiving,
                    ConnectOptions.as(Role.PUBLISHER, out::addConnection).withGreeting(new byte[] {(byte) i})));
            eventually(() -> out.subscriptionCount(1) == 1);
            connection.close();
            out.close();
        }
        sending.awaitClosed();
        receiving.awaitClosed();
        assertThat(all).hasSize(count).allMatch(received -> received.length() == 64);
    }
}

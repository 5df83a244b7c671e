package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static io.rocketbufs.contract.Stage.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.wire.ControlType;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that no subscriber is sent more data than it has space for, and that every subscriber continues when space is
 * free.
 */
class CreditContract {
    private final Stage stage;
    private Node sending;
    private Node receiving;

    CreditContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
    }

    @Test
    void shouldStopWhenBothBuffersAreFullAndContinueWhenDataIsConsumed() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(600);
        Sent sent = new Sent(sending.out(), 1, 0);
        awaitFull(sent, 1600);
        received.awaitPosition(600);
        received.consume(300);
        awaitFull(sent, 1900);
        received.awaitPosition(900);
        received.release();
        received.awaitAll(sent.deliver(10, 500));
    }

    /** Delivers 10 bytes at a time until there is no space. The last delivery must then end at {@code end}. */
    private static void awaitFull(Sent sent, long end) {
        eventually(
                () -> {
                    sent.fill(10);
                    return sent.length() >= end;
                },
                () -> "space up to " + end + ", now " + sent.length());
        assertThat(sent.length()).isEqualTo(end);
        assertThat(sent.offer(1)).isFalse();
    }

    @Test
    void shouldDeliverMoreThanThreeQuartersOfTheCapacityAfterLittleConsumption() {
        sending.out().createBuffer(1, 2000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(249);
        received.awaitPosition(249);
        sent.deliver(1000);
        received.consume(249);
        received.awaitAll(sent);
        assertThat(received.transfers()).containsExactly(249L, 1000L);
    }

    @Test
    void shouldFinishATransferOfManyWritesThatBeganBeforeLittleConsumption() {
        int capacity = 1 << 20;
        sending.out().createBuffer(1, 2 * capacity);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(capacity);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(capacity / 4 - 1);
        received.awaitPosition(sent.length());
        sent.deliver(capacity);
        received.consume(1);
        received.consume(capacity / 4 - 2);
        received.awaitAll(sent);
    }

    @Test
    void shouldNeverStallWhateverLengthsAreDeliveredAndConsumed() {
        Random random = new Random(7);
        for (int id = 0; id < 20; id++) {
            int capacity = 1 + random.nextInt(id < 10 ? 20 : 700);
            int local = capacity + random.nextInt(300);
            int consumed = 1 + random.nextInt(capacity);
            sending.out().createBuffer(id, local);
            Received received =
                    receiving.inbox(sending).of(id).seed(id).holding().subscribe(capacity);
            Sent sent = new Sent(sending.out(), id, id);
            for (int i = 0; i < 100; i++) {
                int length = 1 + random.nextInt(capacity);
                eventually(
                        () -> {
                            consume(received, consumed);
                            return sent.offer(length);
                        },
                        () -> "space for " + length + " bytes: capacity=" + capacity + " local=" + local + " consumed="
                                + consumed + ", " + received);
            }
            eventually(() -> {
                consume(received, consumed);
                return received.position() == sent.length();
            });
            received.checkBoundaries(sent);
        }
    }

    private static void consume(Received received, long most) {
        received.consume(Math.min(most, received.unconsumed()));
    }

    @Test
    void shouldFillBothDirectionsOfOneConnectionAndContinue() {
        sending.out().createBuffer(1, 5000);
        receiving.out().createBuffer(1, 5000);
        CompletableFuture<Inbox> there = new CompletableFuture<>();
        sending.onConnection(connection -> there.complete(sending.inbox(connection)));
        Inbox here = receiving.inboxAsPeer(sending);
        Received one = here.of(1).seed(1).holding().subscribe(3000);
        Received two = Stage.get(there).of(1).seed(2).holding().subscribe(2000);
        Sent toHere = new Sent(sending.out(), 1, 1);
        Sent toThere = new Sent(receiving.out(), 1, 2);
        awaitFull(toHere, 8000);
        awaitFull(toThere, 7000);
        one.release();
        two.release();
        for (int i = 0; i < 20; i++) {
            toHere.deliverRandomly(toHere.length() + 20_000, 2000, i);
            toThere.deliverRandomly(toThere.length() + 20_000, 2000, i);
        }
        one.awaitAll(toHere);
        two.awaitAll(toThere);
    }

    @Test
    void shouldCarryBothDirectionsOfOneConnectionSimultaneously() {
        sending.out().createBuffer(1, 5000);
        receiving.out().createBuffer(1, 5000);
        CompletableFuture<Inbox> there = new CompletableFuture<>();
        sending.onConnection(connection -> there.complete(sending.inbox(connection)));
        Inbox here = receiving.inboxAsPeer(sending);
        Received one = here.of(1).seed(1).subscribe(3000);
        Received two = Stage.get(there).of(1).seed(2).subscribe(2000);
        Sent toHere = new Sent(sending.out(), 1, 1);
        Sent toThere = new Sent(receiving.out(), 1, 2);
        CompletableFuture<Void> beside = CompletableFuture.runAsync(() -> toThere.deliverRandomly(500_000, 2000, 2));
        toHere.deliverRandomly(500_000, 2000, 1);
        Stage.get(beside);
        one.awaitAll(toHere);
        two.awaitAll(toThere);
    }

    @Test
    void shouldReportConsumptionAtMostFourTimesPerCapacity() {
        stage.expectFailures();
        int capacity = 4000;
        CompletableFuture<Inbox> inbox = new CompletableFuture<>();
        receiving.onConnection(connection -> inbox.complete(receiving.inbox(connection)));
        try (RawPeer publisher = RawPeer.connect(stage.transport(Stage.config()), receiving.address())) {
            publisher.hello(1);
            Received received = Stage.get(inbox).of(1);
            CompletableFuture<Void> subscribed = received.trySubscribe(capacity, SubscribeOptions.DEFAULTS);
            RawPeer.Subscribed to = publisher.accept();
            Stage.get(subscribed);
            for (int i = 0; i < 100; i++) {
                publisher.deliver(to, capacity / 20);
                eventually(() -> publisher.credit(to) <= publisher.sent(to));
                int consumed = i + 1;
                eventually(() -> received.length() == consumed * (capacity / 20));
            }
            // A delayed report contains the consumed position at the time of sending. The next report is due a quarter
            // of the capacity later.
            eventually(() -> publisher.credit(to) > 5 * capacity - capacity / 4);
            assertThat(publisher.count(ControlType.CREDIT)).isLessThanOrEqualTo(20);
        }
    }

    @Test
    void shouldNeverStallWithACapacityOfTwoMessages() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.inbox(sending).of(1).subscribe(200);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(100, 1000));
        // One update for each message, and one answer for each request that the sender made before it received the
        // update.
        assertThat(updatesFrom(receiving)).isLessThanOrEqualTo(2 * 1000);
    }

    private static long updatesFrom(Node node) {
        return node.rocketBufs().metrics().connections().stream()
                .flatMap(connection -> connection.inputs().stream())
                .mapToLong(InputState::creditCount)
                .sum();
    }

    @Test
    void shouldNeverStallWithACapacityOfTwoMessagesConsumedByAnotherThread() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withCoalescing(false));
        Received received = receiving.inbox(sending).of(1).holding().subscribe(200);
        Sent sent = new Sent(sending.out(), 1, 0);
        CompletableFuture<Void> beside = CompletableFuture.runAsync(() -> sent.deliver(100, 1000));
        eventually(() -> {
            received.consume(received.unconsumed());
            return received.position() == 100_000;
        });
        Stage.get(beside);
        received.checkBoundaries(sent);
    }

    @Test
    void shouldKnowTheConsumedPositionWithAndWithoutARequest() {
        sending.out().createBuffer(1, 2000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(1000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(900);
        received.awaitPosition(900);
        received.consume(300);
        eventually(() -> sending.out().consumedPosition(1) == 300);
        received.consume(10);
        CompletableFuture<Void> flushed = sending.out().flush(1);
        received.consume(500);
        eventually(() -> sending.out().consumedPosition(1) == 810);
        assertThat(flushed).isNotDone();
        received.consume(90);
        Stage.get(flushed);
        assertThat(sending.out().consumedPosition(1)).isEqualTo(900);
        assertThat(sent.length()).isEqualTo(900);
    }

    @Test
    void shouldReportIntoTheLentWordAndSendNothing() {
        if (!stage.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD)) {
            return;
        }
        stage.expectFailures();
        CompletableFuture<Inbox> inbox = new CompletableFuture<>();
        receiving.onConnection(connection -> inbox.complete(receiving.inbox(connection)));
        try (RawPeer publisher = RawPeer.connect(stage.transport(Stage.config()), receiving.address())) {
            publisher.hello(1);
            LentWord word = publisher.connection().lendWord();
            Received received = Stage.get(inbox).of(1);
            CompletableFuture<Void> subscribed = received.trySubscribe(4000, SubscribeOptions.DEFAULTS);
            RawPeer.Subscribed to = publisher.accept(word.access());
            Stage.get(subscribed);
            for (int i = 1; i <= 100; i++) {
                publisher.deliver(to, 500);
                long length = publisher.sent(to);
                eventually(() -> received.length() == length);
                eventually(() -> word.value() == length - length % 1000);
            }
            assertThat(publisher.count(ControlType.CREDIT)).isZero();
            publisher.deliver(to, 100);
            publisher.send(ControlType.FLUSH, to.tag(), 50_100);
            eventually(() -> publisher.credit(to) == 50_100);
            assertThat(word.value()).isEqualTo(50_000);
            Stage.get(CompletableFuture.runAsync(
                    word::takeBack, publisher.connection().worker()));
        }
    }

    @Test
    void shouldRefuseASubscriberThatRequiresNoFlowControlOfAWaitingProducer() {
        sending.out().createBuffer(1, 1000);
        sending.out().createBuffer(2, 1000, BufferOptions.DEFAULTS.withFlowControl(false));
        Inbox inbox = receiving.inbox(sending);
        SubscribeOptions with = SubscribeOptions.DEFAULTS.withFlowControl(true);
        SubscribeOptions without = SubscribeOptions.DEFAULTS.withFlowControl(false);
        assertThat(failureOf(inbox.of(1).trySubscribe(1000, without))).hasMessageContaining("flow control on");
        inbox.of(1).subscribe(1000, with).awaitAll(new Sent(sending.out(), 1, 0).deliver(100));
        inbox.of(2).subscribe(1000, without).awaitAll(new Sent(sending.out(), 2, 0).deliver(100));
    }

    @Test
    void shouldRespectCreditThatASubscriberRequiresOfAProducerThatNeverWaits() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withFlowControl(false));
        Received received = receiving
                .inbox(sending)
                .of(1)
                .holding()
                .subscribe(500, SubscribeOptions.DEFAULTS.withFlowControl(true));
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.deliver(100, 50);
        eventually(() -> received.length() == 500);
        received.release();
        received.awaitAll(sent.deliver(100));
        assertThat(received.lost()).isPositive();
    }
}

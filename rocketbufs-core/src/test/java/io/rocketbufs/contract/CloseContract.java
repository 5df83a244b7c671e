package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.Connection;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.wire.ControlType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that a graceful close loses no delivered data, causes no failure on either side, and completes. */
class CloseContract {
    private final Stage stage;

    CloseContract(Stage stage) {
        this.stage = stage;
    }

    private static Connection acceptedBy(Node node) {
        return node.accepted().get(0);
    }

    @Test
    void shouldSendEverythingThatWasDeliveredBeforeTheClose() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 1 << 20);
        Received received = receiving.subscribe(sending, 1, 100_000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(1000);
        acceptedBy(sending).close();
        received.awaitEnd(sent);
        sending.awaitClosed();
        receiving.awaitClosed();
        assertThat(sending.out().subscriptionCount(1)).isZero();
    }

    @Test
    void shouldNeverLoseTheTailOfManyShortConnections() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 10_000);
        for (int i = 0; i < 50; i++) {
            Received received = receiving.inbox(sending).of(1).seed(i).subscribe(1000);
            Sent sent = new Sent(sending.out(), 1, i).deliver(1 + i * 19).deliver(7, i);
            sending.accepted().get(i).close();
            received.awaitEnd(sent);
        }
        sending.awaitClosed();
        receiving.awaitClosed();
    }

    @Test
    void shouldSendEverythingThatWasDeliveredByTheConnectingSide() {
        Node sending = stage.node();
        Node receiving = stage.node();
        CompletableFuture<Inbox> inbox = new CompletableFuture<>();
        receiving.onConnection(connection -> inbox.complete(receiving.inbox(connection)));
        sending.out().createBuffer(1, 100_000);
        Connection connection = sending.connect(receiving, io.rocketbufs.Role.PUBLISHER, sending.out()::addConnection);
        Received received = Stage.get(inbox).of(1).subscribe(3000);
        Sent sent = new Sent(sending.out(), 1, 0);
        sent.fill(999);
        connection.close();
        received.awaitEnd(sent);
        sending.awaitClosed();
        receiving.awaitClosed();
    }

    @Test
    void shouldTellTheSenderHowFarItsDataWasConsumedBeforeAClose() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 10_000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(10_000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(10, 7);
        received.awaitAll(sent);
        // Less than a quarter of the capacity, so the subscriber does not report it immediately.
        received.consume(60);
        received.inbox().connection().close("maintenance");
        stage.expectFailures();
        sending.awaitClosed();
        assertThat(sending.out().consumedPosition(1)).isEqualTo(60);
    }

    @Test
    void shouldTellTheSenderHowFarEachOfManyBuffersWasConsumedBeforeAClose() {
        Node sending = stage.node();
        Node receiving = stage.node();
        Inbox inbox = receiving.inbox(sending);
        for (int id = 0; id < 100; id++) {
            sending.out().createBuffer(id, 1000);
            Received received = inbox.of(id).seed(id).subscribe(1000);
            received.awaitAll(new Sent(sending.out(), id, id).deliver(1 + id));
        }
        inbox.connection().close();
        sending.awaitClosed();
        for (int id = 0; id < 100; id++) {
            assertThat(sending.out().consumedPosition(id)).isEqualTo(1 + id);
        }
    }

    @Test
    void shouldTellThePublisherHowFarASpliceHasSentItsDataBeforeAClose() {
        SpliceFixture relay = new SpliceFixture(stage);
        Sent sent = relay.publish(1, 10_000, BufferOptions.DEFAULTS);
        Received arriving = relay.splice(1, 10_000, BufferOptions.DEFAULTS);
        Received received = relay.subscribe(1, 10_000);
        sent.deliver(10, 7);
        arriving.awaitAll(sent);
        received.awaitAll(sent);
        // A transport may report the completion of a write after its data has arrived.
        eventually(() -> relay.broker().out().subscriptions().get(0).pendingLength() == 0);
        stage.expectFailures();
        relay.upstream().connection().close("maintenance");
        relay.publishing().awaitClosed();
        assertThat(relay.publishing().out().consumedPosition(1)).isEqualTo(70);
    }

    @Test
    void shouldSendNoReportBeforeAGoodbyeWhenTheSenderKnowsThePosition() {
        stage.expectFailures();
        Node receiving = stage.node();
        CompletableFuture<Inbox> inbox = new CompletableFuture<>();
        receiving.onConnection(connection -> inbox.complete(receiving.inbox(connection)));
        try (RawPeer publisher = RawPeer.connect(stage.transport(Stage.config()), receiving.address())) {
            publisher.hello(1);
            Received received = Stage.get(inbox).of(1);
            CompletableFuture<Void> subscribed = received.trySubscribe(1000, SubscribeOptions.DEFAULTS);
            RawPeer.Subscribed to = publisher.accept();
            Stage.get(subscribed);
            publisher.deliver(to, 300);
            eventually(() -> publisher.credit(to) == 300);
            received.inbox().connection().close();
            publisher.await(ControlType.GOODBYE);
            assertThat(publisher.count(ControlType.CREDIT)).isEqualTo(1);
        }
    }

    @Test
    void shouldReportAPositionInALentWordByAMessageBeforeAGoodbye() {
        stage.expectFailures();
        Node receiving = stage.node();
        if (!stage.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD)) {
            return;
        }
        CompletableFuture<Inbox> inbox = new CompletableFuture<>();
        receiving.onConnection(connection -> inbox.complete(receiving.inbox(connection)));
        try (RawPeer publisher = RawPeer.connect(stage.transport(Stage.config()), receiving.address())) {
            publisher.hello(1);
            Received received = Stage.get(inbox).of(1);
            CompletableFuture<Void> subscribed = received.trySubscribe(1000, SubscribeOptions.DEFAULTS);
            LentWord word = publisher.connection().lendWord();
            RawPeer.Subscribed to = publisher.accept(word.access());
            Stage.get(subscribed);
            publisher.deliver(to, 300);
            eventually(() -> word.value() == 300);
            publisher.deliver(to, 10);
            eventually(() -> received.length() == 310);
            received.inbox().connection().close();
            publisher.await(ControlType.GOODBYE);
            assertThat(publisher.credit(to)).isEqualTo(310);
            Stage.get(CompletableFuture.runAsync(
                    word::takeBack, publisher.connection().worker()));
        }
    }

    @Test
    void shouldAllowTheSubscriberToCloseDuringTraffic() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 10_000);
        Received leaving = receiving.subscribe(sending, 1, 5000);
        Received staying = receiving.subscribe(sending, 1, 5000);
        Sent sent = new Sent(sending.out(), 1, 0).deliverRandomly(50_000, 500, 1);
        leaving.inbox().connection().close();
        sent.deliverRandomly(300_000, 500, 2);
        Stage.get(leaving.inbox().connection().closed());
        staying.awaitAll(sent);
        leaving.checkBoundaries(sent);
        eventually(() -> sending.out().subscriptionCount(1) == 1);
    }

    @Test
    void shouldReportTheDataThatAClosingSubscriberWasNotSent() {
        Node sending = stage.node();
        Node receiving = stage.node();
        List<String> ends = Collections.synchronizedList(new ArrayList<>());
        sending.out().setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
                ends.add(bufferId + " " + undelivered);
            }
        });
        sending.out().createBuffer(1, 10_000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(600);
        new Sent(sending.out(), 1, 0).deliver(100, 50);
        received.awaitPosition(600);
        received.inbox().connection().close();
        eventually(() -> ends.contains("1 4400"));
        assertThat(ends).hasSize(1);
    }

    @Test
    void shouldCloseFromBothSidesSimultaneously() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 10_000);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int i = 0; i < 20; i++) {
            Received received =
                    receiving.inbox(sending).of(1).from(sent.length()).subscribe(5000);
            sent.deliverRandomly(sent.length() + 20_000, 500, i);
            sending.accepted().get(i).close();
            received.inbox().connection().close();
        }
        sending.awaitClosed();
        receiving.awaitClosed();
    }

    @Test
    void shouldCloseAConnectionThatIsBusyInBothDirections() {
        Node one = stage.node();
        Node two = stage.node();
        one.out().createBuffer(1, 100_000);
        two.out().createBuffer(1, 100_000);
        CompletableFuture<Inbox> there = new CompletableFuture<>();
        one.onConnection(connection -> there.complete(one.inbox(connection)));
        Inbox here = two.inboxAsPeer(one);
        Received fromOne = here.of(1).seed(1).subscribe(30_000);
        Received fromTwo = Stage.get(there).of(1).seed(2).subscribe(30_000);
        Sent byOne = new Sent(one.out(), 1, 1);
        Sent byTwo = new Sent(two.out(), 1, 2);
        byOne.deliverRandomly(200_000, 10_000, 1);
        byTwo.deliverRandomly(200_000, 10_000, 2);
        byTwo.fill(10_000);
        byOne.fill(10_000);
        acceptedBy(one).close();
        fromOne.awaitEnd(byOne);
        one.awaitClosed();
        two.awaitClosed();
        fromTwo.awaitEnd().checkBoundaries(byTwo);
    }

    @Test
    void shouldSendTheReasonToThePeer() {
        stage.expectFailures();
        Node sending = stage.node();
        Node receiving = stage.node();
        receiving.inbox(sending);
        acceptedBy(sending).close("maintenance at noon");
        receiving.awaitClosed();
        assertThat(receiving.awaitFailures()).singleElement().asString().contains("maintenance at noon");
        sending.awaitClosed();
        assertThat(sending.failures()).isEmpty();
    }

    @Test
    void shouldAbortACloseThatTakesTooLong() {
        stage.expectFailures();
        Config hasty = Stage.config().withValue("rocketbufs.close-timeout", ConfigValueFactory.fromAnyRef("200 ms"));
        Node sending = stage.node(hasty);
        Node receiving = stage.node();
        sending.out().createBuffer(1, 10_000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(1000);
        new Sent(sending.out(), 1, 0).deliver(1000, 5);
        acceptedBy(sending).close();
        sending.awaitClosed();
        assertThat(sending.awaitFailures()).singleElement().asString().contains("200 ms");
        assertThat(sending.out().subscriptionCount(1)).isZero();
        received.awaitEnd();
        assertThat(received.failure()).isNotNull();
    }

    @Test
    void shouldAllowAnythingToBeClosedTwice() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 1000);
        Received received = receiving.subscribe(sending, 1, 1000);
        received.inbox().close();
        received.inbox().close();
        received.inbox().connection().close();
        received.inbox().connection().close();
        receiving.awaitClosed();
        sending.awaitClosed();
        received.inbox().connection().close();
        sending.out().close();
        sending.out().close();
        sending.kill();
        sending.kill();
    }

    @Test
    void shouldEndAllBuffersButNotTheConnectionWhenTheOutputCloses() {
        Node sending = stage.node();
        Node receiving = stage.node();
        sending.out().createBuffer(1, 100_000);
        sending.out().createBuffer(2, 100_000);
        Inbox inbox = receiving.inbox(sending);
        Received one = inbox.of(1).seed(1).subscribe(1000);
        Received two = inbox.of(2).seed(2).subscribe(1000);
        Sent byOne = new Sent(sending.out(), 1, 1).deliver(300, 200);
        Sent byTwo = new Sent(sending.out(), 2, 2).deliver(300, 200);
        sending.out().close();
        one.awaitEnd(byOne);
        two.awaitEnd(byTwo);
        assertThat(inbox.connection().isOpen()).isTrue();
        eventually(() -> sending.rocketBufs().memoryInUse() == 0);
    }

    @Test
    void shouldRunTasksOnTheWorkerInTheOrderOfTheCalls() {
        Node sending = stage.node();
        Connection connection = stage.node().inbox(sending).connection();
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Boolean> last = new CompletableFuture<>();
        connection.execute(() -> {
            connection.execute(() -> ran.add("second"));
            ran.add("first");
            first.complete(null);
        });
        Stage.get(first);
        connection.execute(() -> last.complete(connection.isWorkerThread()));
        assertThat(Stage.get(last)).isTrue();
        assertThat(ran).containsExactly("first", "second");
    }
}

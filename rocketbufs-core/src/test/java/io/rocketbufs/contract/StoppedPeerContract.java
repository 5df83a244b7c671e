package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.Connection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a peer whose process is stopped, so that it neither accepts nor sends anything, uses few resources,
 * affects no other peer, and can resume.
 */
class StoppedPeerContract {
    private static final long SILENCE_MS = 300;
    private static final int SUBSCRIBER = 2;

    private final Stage stage;
    private Node sending;
    private Node receiving;
    private Sent sent;

    StoppedPeerContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        sent = new Sent(sending.out(), 1, 0);
    }

    /**
     * Returns a configuration that quickly detects a silent peer, provided that the peer's timer intervals are also
     * short.
     */
    private static Config alert() {
        return Stage.hasty()
                .withValue("rocketbufs.heartbeat-timeout", ConfigValueFactory.fromAnyRef(SILENCE_MS + " ms"));
    }

    private RawPeer connectRaw() {
        return RawPeer.connect(stage.transport(Stage.config()), sending.address());
    }

    private Blocked stop(Received received) throws InterruptedException {
        return Blocked.stop(received.inbox(), sending.lastAccepted());
    }

    /** Delivers until the buffer is full. */
    private void fill(int count) {
        eventually(() -> {
            sent.fill(count);
            return sending.out().subscriptions().get(0).pendingLength() > 0;
        });
    }

    @Test
    void shouldDisconnectASilentPeerWhateverHeartbeatItAnnounced() {
        Node node = stage.node(alert());
        RawPeer peer = RawPeer.connect(stage.transport(Stage.config()), node.address());
        peer.send(ControlType.HELLO, body -> HelloLayout.put(body, SUBSCRIBER, 3_600_000, new byte[0]));
        stage.expectFailures();
        peer.awaitOver();
    }

    @Test
    void shouldContinueWhenThePeerResumes() throws Exception {
        sending.out().createBuffer(1, 1 << 20);
        Received received = receiving.subscribe(sending, 1, 100_000);
        try (Blocked stopped = stop(received)) {
            fill(10_000);
            stopped.release();
            received.awaitAll(sent.deliver(10_000, 100));
        }
    }

    @Test
    void shouldContinueALongTransferWhenThePeerResumes() throws Exception {
        sending.out().createBuffer(1, 4 << 20);
        Received received = receiving.subscribe(sending, 1, 4 << 20);
        try (Blocked stopped = stop(received)) {
            sent.deliver(3 << 20);
            stopped.release();
            received.awaitAll(sent.deliver(3, 1000));
        }
        assertThat(received.transfers().get(0)).isEqualTo(3 << 20);
    }

    @Test
    void shouldContinueBothDirectionsWhenThePeerResumes() throws Exception {
        sending.out().createBuffer(1, 1 << 20);
        receiving.out().createBuffer(1, 1 << 20);
        List<Inbox> there = Collections.synchronizedList(new ArrayList<>());
        sending.onConnection(connection -> there.add(sending.inbox(connection)));
        Inbox here = receiving.inboxAsPeer(sending);
        Received one = here.of(1).seed(0).subscribe(1 << 20);
        Received two = there.get(0).of(1).seed(2).subscribe(1 << 20);
        Sent back = new Sent(receiving.out(), 1, 2);
        try (Blocked stopped = stop(one)) {
            sent.deliver(100_000, 8);
            back.deliver(100_000, 8);
            stopped.release();
            one.awaitAll(sent.deliver(10_000, 100));
            two.awaitAll(back.deliver(10_000, 100));
        }
    }

    @Test
    void shouldServeOthersWhileAPeerIsStopped() throws Exception {
        sending.out().createBuffer(1, 1 << 20);
        sending.out().createBuffer(2, 10_000);
        Received received = receiving.subscribe(sending, 1, 16 << 20);
        try (Blocked stopped = stop(received)) {
            Received other = stage.node().subscribe(sending, 2, 3000);
            sent.fill(100_000);
            other.awaitAll(new Sent(sending.out(), 2, 0).deliverRandomly(200_000, 3000, 1));
            stopped.release();
            received.awaitAll(sent);
        }
    }

    @Test
    void shouldLimitQueuedControlMessagesAndLoseNone() throws Exception {
        List<Integer> came = Collections.synchronizedList(new ArrayList<>());
        Inbox inbox = receiving.inbox(sending);
        Connection there = sending.lastAccepted();
        try (Blocked stopped = Blocked.stop(inbox, there)) {
            inbox.in().setControlMessageCallback(message -> came.add(message.getInt()));
            int count = 0;
            while (count < 1000 && send(there, 10_000, count)) {
                count++;
            }
            // If the peer's processor is not involved, all messages have been sent.
            if (stage.capabilities().remoteCpu()) {
                assertThat(count).isLessThan(1000);
            }
            assertThat(there.isOpen()).isTrue();
            stopped.release();
            int accepted = count;
            eventually(() -> came.size() == accepted, () -> accepted + " messages, now " + came.size());
            assertThat(came).isSorted().doesNotHaveDuplicates();
            eventually(() -> send(there, 4, accepted));
            eventually(() -> came.size() == accepted + 1);
        }
    }

    /**
     * Sends bytes that start with a number, if the length suffices. Returns false if too many bytes are already
     * waiting.
     */
    private static boolean send(Connection connection, int length, int number) {
        try {
            ByteBuffer message =
                    ByteBuffer.allocate(Math.max(length, Integer.BYTES)).putInt(0, number);
            connection.sendControlMessage(message.limit(length));
            return true;
        } catch (TransportException e) {
            assertThat(!connection.isOpen() || e.code() == TransportException.Code.RESOURCES)
                    .as(e.toString())
                    .isTrue();
            return false;
        }
    }

    @Test
    void shouldDisconnectAPeerThatIsSilentForTooLong() {
        stage.expectFailures();
        sending = stage.node(alert());
        sent = new Sent(sending.out(), 1, 0);
        // The long interval makes this peer silent only after three minutes.
        Node patient = stage.node(
                Stage.config().withValue("rocketbufs.heartbeat-interval", ConfigValueFactory.fromAnyRef("60 s")));
        sending.out().createBuffer(1, 10_000);
        try (RawPeer silent = connectRaw()) {
            silent.helloAndSilence(SUBSCRIBER).subscribe(1, 1, 1000);
            eventually(() -> sending.out().subscriptionCount(1) == 1
                    || !sending.failures().isEmpty());
            silent.stopReading();
            Received other = patient.subscribe(sending, 1, 500);
            sent.deliver(100, 100);
            other.awaitAll(sent.deliver(100, 100));
            assertThat(sending.awaitFailures()).singleElement().asString().contains("no data received");
            other.awaitAll(sent.deliver(100, 10));
        }
        assertThat(sending.out().subscriptionCount(1)).isEqualTo(1);
    }

    @Test
    void shouldDisconnectAPeerThatNeverSendsAGreeting() {
        stage.expectFailures();
        sending = stage.node(
                Stage.hasty().withValue("rocketbufs.greeting-timeout", ConfigValueFactory.fromAnyRef("200 ms")));
        try (RawPeer silent = connectRaw()) {
            silent.awaitOver();
        }
        assertThat(sending.accepted()).isEmpty();
    }

    @Test
    void shouldCloseTheOldestOfTooManyPeersThatSendNoGreetingAndAcceptOneThatSendsIt() {
        stage.expectFailures();
        sending = stage.node(Stage.hasty()
                .withValue("rocketbufs.greeting-timeout", ConfigValueFactory.fromAnyRef("1 h"))
                .withValue("rocketbufs.ungreeted-connections", ConfigValueFactory.fromAnyRef(2)));
        sending.out().createBuffer(1, 1000);
        try (RawPeer first = connectRaw();
                RawPeer second = connectRaw();
                RawPeer third = connectRaw()) {
            // Different workers may accept them in a different order.
            List<RawPeer> silent = List.of(first, second, third);
            eventually(() -> silent.stream().anyMatch(RawPeer::isOver));
            receiving.subscribe(sending, 1, 1000).awaitAll(new Sent(sending.out(), 1, 0).deliver(100, 20));
            eventually(() -> silent.stream().filter(RawPeer::isOver).count() == 2);
            assertThat(sending.accepted()).hasSize(1);
        }
    }

    @Test
    void shouldDisconnectAPeerThatRepeatsGoodbyeInsteadOfAGreeting() {
        stage.expectFailures();
        sending = stage.node(
                Stage.hasty().withValue("rocketbufs.greeting-timeout", ConfigValueFactory.fromAnyRef("200 ms")));
        try (RawPeer rude = connectRaw()) {
            eventually(() -> {
                rude.send(ControlType.GOODBYE, body -> TextLayout.put(body, 0, ""));
                return rude.isOver();
            });
        }
    }

    @Test
    void shouldDisconnectASilentPeerEvenIfNoMessageCanBeQueued() {
        stage.expectFailures();
        sending = stage.node(alert());
        try (RawPeer silent = connectRaw()) {
            silent.stopReading();
            silent.helloAndSilence(SUBSCRIBER);
            eventually(() -> !sending.accepted().isEmpty());
            Connection there = sending.lastAccepted();
            for (int length = 10_000; length > 0; length /= 10) {
                // If the peer's processor is not involved, there is always space for more messages.
                for (int i = 0; i < 1000 && there.isOpen() && send(there, length, i); i++) {
                    continue;
                }
            }
            Stage.get(there.closed());
        }
        assertThat(sending.awaitFailures()).singleElement().asString().contains("no data received");
    }

    @Test
    void shouldNotDisconnectThePeerAfterBeingSuspendedItself() throws Exception {
        stage.expectFailures();
        sending = stage.node(alert());
        try (Blocked suspended = Blocked.onceIdle(sending);
                RawPeer peer = connectRaw()) {
            peer.helloAndSilence(SUBSCRIBER);
            Connection there = suspended.await();
            long begin = System.nanoTime();
            eventually(() -> System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(2 * SILENCE_MS));
            // The tick that is due precedes a task of a task.
            CompletableFuture<Boolean> open = new CompletableFuture<>();
            there.execute(() -> there.execute(() -> open.complete(there.isOpen())));
            suspended.release();
            assertThat(Stage.get(open)).isTrue();
        }
    }
}

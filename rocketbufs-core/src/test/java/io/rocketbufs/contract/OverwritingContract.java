package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that, without flow control, the producer never waits for a subscriber, and that a subscriber that falls behind
 * is notified of how much it missed.
 *
 * <p>If the sender addresses remote memory, newer bytes may overwrite arrivals that a slow receiver has not read. The
 * tests therefore compare bytes only if all sent data fits into the receiver's buffer, or if the receiver's transport
 * places the bytes.
 */
class OverwritingContract {
    private static final BufferOptions OVERWRITING = BufferOptions.DEFAULTS.withFlowControl(false);

    private final Stage stage;
    private Node sending;
    private Node receiving;
    private Sent sent;

    OverwritingContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        sent = new Sent(sending.out(), 1, 0);
    }

    @Test
    void shouldDeliverEverythingToASubscriberThatKeepsUp() {
        sending.out().createBuffer(1, 1000, OVERWRITING);
        Received received = receiving.subscribe(sending, 1, 700);
        for (int i = 0; i < 300; i++) {
            sent.overwrite(1 + i % 97);
            received.awaitAll(sent);
        }
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldNeverWaitForASubscriberThatConsumesNothing() {
        sending.out().createBuffer(1, 1000, OVERWRITING);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(500);
        for (int i = 0; i < 100; i++) {
            sent.overwrite(100);
            received.awaitPosition(sent.length());
        }
        assertThat(received.checkBoundaries(sent).gaps()).isEmpty();
    }

    @Test
    void shouldSkipTheOldestDataForAStoppedSubscriberAndServeTheOthers() throws Exception {
        becomeImpatient();
        sending.out().createBuffer(1, 300_000, OVERWRITING);
        Received stopped = receiving.subscribe(sending, 1, 16 << 20);
        try (Blocked blocked = Blocked.stop(stopped.inbox(), sending.lastAccepted())) {
            Received other = stage.node().subscribe(sending, 1, 300_000);
            Connection toOther = sending.lastAccepted();
            for (int i = 0; i < 80; i++) {
                sent.overwrite(99_999);
                other.awaitAll(sent);
                sending.awaitSentTo(toOther);
            }
            assertThat(other.gaps()).isEmpty();
            blocked.release(stopped, sending, sent, 1);
            sent.overwrite(1000);
            other.awaitAll(sent);
        }
        if (stage.capabilities().withdraws() && stage.capabilities().remoteCpu()) {
            assertThat(stopped.lost()).isPositive();
        }
    }

    /**
     * Uses a sending node with a short time limit for writes, which disconnects a subscriber whose pending writes hold
     * memory.
     */
    private void becomeImpatient() {
        sending = stage.node(Stage.impatient(stage.mayBeHeldByStoppedPeers()));
        sent = new Sent(sending.out(), 1, 0);
        stage.expectFailures(stage.mayBeHeldByStoppedPeers());
    }

    @Test
    void shouldDropTheSentPartOfALongDeliveryThatIsOverwritten() throws Exception {
        becomeImpatient();
        sending.out().createBuffer(1, 1 << 20, OVERWRITING);
        Received received = receiving.subscribe(sending, 1, 16 << 20);
        try (Blocked blocked = Blocked.stop(received.inbox(), sending.lastAccepted())) {
            for (int i = 0; i < 20; i++) {
                sent.overwrite(600_001 + i);
            }
            blocked.release(received, sending, sent, 0);
        }
    }

    @Test
    void shouldKeepTheNewestDataReadable() {
        sending.out().createBuffer(1, 1000, OVERWRITING);
        Inbox inbox = receiving.inbox(sending);
        Received received = inbox.of(1).holding().subscribe(500);
        for (int i = 0; i < 40; i++) {
            sent.overwrite(77);
            received.awaitPosition(sent.length());
        }
        Segment newest = inbox.in().bufferRef(1);
        assertThat(newest.position() + newest.length()).isEqualTo(sent.length());
        assertThat(newest.position()).isEqualTo(inbox.in().overwriteLimit(1)).isEqualTo(sent.length() - 500);
        assertThat(new Pattern(0).firstWrong(newest, newest.position())).isEqualTo(-1);
    }

    @Test
    void shouldReturnDataThatIsNeitherConsumedNorOverwritten() {
        sending.out().createBuffer(1, 1000, OVERWRITING);
        Inbox inbox = receiving.inbox(sending);
        Received received = inbox.of(1).holding().subscribe(500);
        sent.overwrite(300);
        received.awaitPosition(300);
        received.consume(200);
        assertThat(inbox.in().bufferRef(1).position()).isEqualTo(200);
        sent.overwrite(450);
        received.awaitPosition(750);
        assertThat(inbox.in().bufferRef(1).position()).isEqualTo(250);
        assertThat(inbox.in().bufferRef(1).length()).isEqualTo(500);
    }

    @Test
    void shouldTellAReaderWhichPartOfItsCopyIsIntact() {
        sending.out().createBuffer(1, 1000, OVERWRITING);
        RIn in = receiving.inbox(sending).in();
        in.setDataInCallback(null);
        Stage.get(in.subscribe(1, 3000));
        boolean exact = stage.capabilities().receiverPlaces();
        CompletableFuture<Void> delivering = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 200; i++) {
                sent.overwrite(1 + i * 31 % 700);
                eventually(() -> in.receivedPosition(1) == sent.length());
            }
        });
        while (!delivering.isDone()) {
            copyAndCheck(in, exact);
        }
        Stage.get(delivering);
        copyAndCheck(in, true);
    }

    private static void copyAndCheck(RIn in, boolean exact) {
        Segment data = in.bufferRef(1);
        byte[] copy = new byte[(int) data.length()];
        data.get(0, copy, 0, copy.length);
        long limit = in.overwriteLimit(1);
        int intact = (int) Math.max(0, limit - data.position());
        if (exact && intact < copy.length) {
            byte[] newest = Arrays.copyOfRange(copy, intact, copy.length);
            assertThat(new Pattern(0).firstWrong(newest, data.position() + intact))
                    .isEqualTo(-1);
        }
    }

    @Test
    void shouldSendDataThatWasDeliveredBeforeTheEnd() {
        sending.out().createBuffer(1, 100_000, OVERWRITING);
        Received received = receiving.subscribe(sending, 1, 100_000);
        for (int i = 0; i < 50; i++) {
            sent.overwrite(1999);
        }
        sending.out().removeBuffer(1);
        received.awaitEnd(sent);
    }
}

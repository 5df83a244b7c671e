package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of a broker that forwards an overwriting buffer. Each transfer that a subscriber receives is complete, and
 * arrives once and in order. The length of all missing data is reported. Subscribers that keep up receive all data.
 *
 * <p>The tests compare bytes only for subscribers whose buffers are large enough for all sent data. If the sender
 * addresses remote memory, data in a smaller buffer would be overwritten as well.
 */
class SpliceOverwritingContract {
    private static final int ALL = 64 << 20;

    private final Stage stage;
    private SpliceFixture relay;

    SpliceOverwritingContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        relay = new SpliceFixture(stage);
        stage.expectOverwrittenWrites();
    }

    /**
     * Uses a broker with a short time limit for writes, which disconnects a stopped subscriber whose pending writes
     * hold memory.
     */
    private void becomeImpatient() {
        relay = new SpliceFixture(stage, Stage.hasty(), Stage.impatient(stage.mayBeHeldByStoppedSubscribers()));
        stage.expectFailures(stage.mayBeHeldByStoppedSubscribers());
    }

    private Sent splice(long capacity) {
        Sent sent = relay.publish(1, capacity, SpliceFixture.OVERWRITING);
        relay.spliceBetweenNeighbours(1, capacity, SpliceFixture.OVERWRITING);
        return sent;
    }

    /**
     * Waits until the publisher has been notified that all but {@code rest} bytes have been passed on. Otherwise, a
     * publisher whose worker has not run yet would lack credit and drop data, even though every subscriber keeps up.
     */
    private void awaitCredit(Sent sent, long rest) {
        eventually(() -> relay.publishing().out().consumedPosition(1) >= sent.length() - rest);
    }

    @Test
    void shouldForwardEverythingToASubscriberThatKeepsUp() {
        Sent sent = splice(1000);
        Received received = relay.subscribe(1, ALL);
        for (int i = 0; i < 300; i++) {
            received.awaitAll(sent.overwrite(1 + i % 97));
            awaitCredit(sent, 500);
        }
        assertThat(received.gaps()).isEmpty();
    }

    @Test
    void shouldForwardToASubscriberThatConsumesNothing() {
        Sent sent = splice(10_000);
        Received received = relay.hold(1, ALL);
        for (int i = 0; i < 100; i++) {
            received.awaitAll(sent.overwrite(1000));
            awaitCredit(sent, 5000);
        }
        assertThat(received.gaps()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 10_007, 65_536, 400_000})
    void shouldForwardWholeTransfersAtFullSpeedAndReportGaps(int capacity) {
        Sent sent = splice(capacity);
        Received first = relay.subscribe(1, ALL);
        Received second = relay.subscribe(1, ALL);
        Random random = new Random(capacity);
        while (sent.length() < Math.min(8 << 20, 1000L * capacity)) {
            sent.overwrite(1 + random.nextInt(capacity / 4));
        }
        first.awaitAll(sent);
        second.awaitAll(sent);
        assertThat(first.length() + first.lost()).isEqualTo(sent.length());
        assertThat(second.length() + second.lost()).isEqualTo(sent.length());
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 65_536, 400_000})
    void shouldForwardWholeTransfersToASubscriberThatPauses(int capacity) throws Exception {
        becomeImpatient();
        Sent sent = splice(capacity);
        Received pausing = relay.subscribe(1, ALL);
        Random random = new Random(capacity);
        for (int i = 0; i < 4; i++) {
            try (Blocked blocked = Blocked.stop(pausing.inbox(), relay.broker().lastAccepted())) {
                for (long end = sent.length() + 5L * capacity; sent.length() < end; ) {
                    sent.overwrite(1 + random.nextInt(capacity / 4));
                }
                blocked.release();
            }
            awaitAllOrCut(pausing, sent);
        }
    }

    @Test
    void shouldReportMissedDataToAStoppedSubscriberAndServeTheOthers() throws Exception {
        becomeImpatient();
        Sent sent = splice(400_000);
        Received stopped = relay.subscribe(1, ALL);
        try (Blocked blocked = Blocked.stop(stopped.inbox(), relay.broker().lastAccepted())) {
            Received other = relay.elsewhere(1).subscribe(ALL);
            Connection toOther = relay.broker().lastAccepted();
            for (int i = 0; i < 120; i++) {
                other.awaitAll(sent.overwrite(99_999));
                relay.broker().awaitSentTo(toOther);
            }
            assertThat(other.gaps()).isEmpty();
            blocked.release();
        }
        awaitAllOrCut(stopped, sent);
        if (stage.downstreamCapabilities().receiverPlaces()) {
            assertThat(stopped.lost()).isPositive();
        }
    }

    /**
     * Waits for the data, or for the disconnection of a stopped subscriber whose pending writes cannot be withdrawn.
     */
    private void awaitAllOrCut(Received received, Sent sent) {
        if (stage.mayBeHeldByStoppedSubscribers()) {
            eventually(() -> received.position() >= sent.length() || received.isEnded());
        } else {
            received.awaitAll(sent);
        }
    }

    @Test
    void shouldNeverDelayThePublisher() {
        Sent sent = relay.publish(1, 1000, SpliceFixture.OVERWRITING);
        Received arriving = relay.splice(1, 1000, SpliceFixture.OVERWRITING);
        Received slow = relay.hold(1, 250);
        for (int i = 0; i < 100; i++) {
            sent.overwrite(100);
            eventually(() -> arriving.length() + arriving.lost() == sent.length());
            eventually(() -> slow.length() + slow.lost() == sent.length());
        }
    }

    @Test
    void shouldAllowASubscriberToJoinAtFullSpeed() {
        Sent sent = splice(50_000);
        Received first = relay.subscribe(1, ALL);
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 1500; i++) {
                sent.overwrite(2000 + i);
            }
        });
        Received late = relay.of(1).startingAnywhere(sent).subscribe(ALL);
        Stage.get(publishing);
        sent.overwrite(100);
        first.awaitAll(sent);
        late.awaitAll(sent);
    }

    @Test
    void shouldForwardRemainingDataBeforeTheEnd() {
        Sent sent = splice(100_000);
        Received received = relay.subscribe(1, ALL);
        for (int i = 0; i < 40; i++) {
            sent.overwrite(1999);
        }
        relay.publishing().out().removeBuffer(1);
        received.awaitEnd(sent);
    }
}

package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.BufferOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class FlushTest {
    private final TwoProcesses processes = new TwoProcesses();
    private final ROut out = processes.out;

    @BeforeEach
    void create() {
        out.createBuffer(1, 1000, BufferOptions.DEFAULTS.withHold(true));
    }

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldCompleteWhenTheSubscriberHasConsumedLessThanAQuarter() throws Exception {
        Collected received = subscriber();
        processes.deliver(1, 10);
        await().until(() -> received.length() == 10);
        assertThat(out.consumedPosition(1)).isZero();
        out.flush(1).get(60, TimeUnit.SECONDS);
        assertThat(out.consumedPosition(1)).isEqualTo(10);
    }

    @Test
    void shouldNotCompleteBeforeTheSubscriberHasConsumed() throws Exception {
        Collected received = subscriber().holding();
        processes.deliver(1, 900);
        await().until(() -> received.length() == 900);
        CompletableFuture<Void> flushed = out.flush(1);
        received.in().dataConsumed(1, 500);
        await().until(() -> out.consumedPosition(1) == 500);
        assertThat(flushed).isNotDone();
        received.in().dataConsumed(1, 400);
        flushed.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldWaitForTheExpectedSubscriber() throws Exception {
        processes.deliver(1, 10);
        CompletableFuture<Void> flushed = out.flush(1);
        assertThat(flushed).isNotDone();
        subscriber();
        flushed.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldCompleteImmediatelyWithoutSubscribers() {
        out.createBuffer(2, 1000);
        processes.deliver(2, 10);
        assertThat(out.flush(2)).isCompleted();
    }

    @Test
    void shouldFailWhenTheSubscriberIsLost() throws Exception {
        Collected received = subscriber().holding();
        processes.deliver(1, 100);
        await().until(() -> received.length() == 100);
        CompletableFuture<Void> flushed = out.flush(1);
        received.in().connection().close();
        assertThatThrownBy(() -> flushed.get(60, TimeUnit.SECONDS)).hasMessageContaining("ended before");
        assertThat(out.consumedPosition(1)).isZero();
    }

    @Test
    void shouldCompleteForDataDeliveredAfterASubscriberWasLost() throws Exception {
        Collected staying = subscriber();
        Collected leaving = subscriber().holding();
        processes.deliver(1, 100);
        await().until(() -> staying.length() == 100 && leaving.length() == 100);
        leaving.in().connection().close();
        await().until(() -> out.subscriptionCount(1) == 1);
        processes.deliver(1, 100);
        out.flush(1).get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndWhenTheExpectedSubscriberIsLate() throws Exception {
        Collected received = subscriber();
        processes.connect();
        out.expect(1, processes.accepted(), 1);
        processes.deliver(1, 10);
        CompletableFuture<Void> flushed = out.flush(1);
        await().until(() -> received.length() == 10);
        await().until(flushed::isDone);
    }

    @Test
    void shouldEndWhenTheExpectedSubscriberIsLost() throws Exception {
        Collected received = subscriber();
        RIn expected = processes.connect();
        out.expect(1, processes.accepted(), 60_000);
        processes.deliver(1, 10);
        CompletableFuture<Void> flushed = out.flush(1);
        await().until(() -> received.length() == 10);
        assertThat(flushed).isNotDone();
        expected.connection().close();
        await().until(flushed::isDone);
    }

    @Test
    void shouldFailWhenTheBufferIsRemovedBeforeTheFirstSubscription() {
        processes.deliver(1, 10);
        CompletableFuture<Void> flushed = out.flush(1);
        out.removeBuffer(1);
        await().until(flushed::isCompletedExceptionally);
    }

    @Test
    void shouldGrantRemainingCreditWhenAFlushIsPending() throws Exception {
        Collected received = subscriber().holding();
        processes.deliver(1, 200);
        await().until(() -> received.length() == 200);
        CompletableFuture<Void> first = out.flush(1);
        processes.deliver(1, 800);
        CompletableFuture<Void> second = out.flush(1);
        received.in().dataConsumed(1, 200);
        first.get(60, TimeUnit.SECONDS);
        await().until(() -> received.length() == 1000);
        assertThat(second).isNotDone();
        received.in().dataConsumed(1, 800);
        second.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldCompleteManyFlushesWhileDataFlows() throws Exception {
        Collected received = subscriber();
        for (int i = 0; i < 2_000; i++) {
            Segment segment = out.getOutputSegment(1, 1 + i % 990, true);
            out.deliver(segment, segment.length());
            if (i % 7 == 0) {
                out.flush(1).get(60, TimeUnit.SECONDS);
                assertThat(out.consumedPosition(1)).isEqualTo(received.length());
            }
        }
    }

    private Collected subscriber() throws Exception {
        Collected received = Collected.by(processes.connect());
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        return received;
    }
}

package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class SpaceTest {
    private final TwoProcesses processes = new TwoProcesses();
    private final ROut out = processes.out;
    private final Semaphore told = new Semaphore(0);

    @BeforeEach
    void create() {
        out.setSpaceCallback(bufferId -> told.release());
        out.createBuffer(1, 1000, BufferOptions.DEFAULTS.withHold(true));
    }

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldAllowTheCallbackToExpectAnotherSubscriber() throws Exception {
        out.setSpaceCallback(bufferId -> {
            out.expect(3, processes.accepted(), 60_000);
            told.release();
        });
        out.createBuffer(2, 1000);
        out.createBuffer(3, 1000);
        RIn in = processes.connect();
        out.expect(2, processes.accepted(), 1);
        processes.deliver(2, 1000);
        assertThat(out.getOutputSegment(2, 10, false)).isSameAs(Segment.NO_SPACE);
        assertThat(told.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        processes.deliver(3, 100);
        Collected received = Collected.by(in);
        in.subscribe(3, 1000).get(60, TimeUnit.SECONDS);
        await().until(() -> received.length() == 100);
    }

    @Test
    void shouldReportSpaceAfterARefusal() throws Exception {
        processes.deliver(1, 900);
        assertThat(out.getOutputSegment(1, 200, false)).isSameAs(Segment.NO_SPACE);
        assertThat(told.availablePermits()).isZero();
        subscriber();
        assertThat(told.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertThat(out.getOutputSegment(1, 200, false).vecCount()).isPositive();
    }

    @Test
    void shouldReportTheEndOfTheBuffer() throws Exception {
        processes.deliver(1, 900);
        assertThat(out.getOutputSegment(1, 200, false)).isSameAs(Segment.NO_SPACE);
        out.removeBuffer(1);
        assertThat(told.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldNeverMissANotification() throws Exception {
        Collected received = subscriber();
        long sent = 0;
        for (int i = 0; i < 20_000; i++) {
            int length = 1 + i % 700;
            Segment segment = out.getOutputSegment(1, length, false);
            while (segment.vecCount() < 0) {
                assertThat(told.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
                segment = out.getOutputSegment(1, length, false);
            }
            out.deliver(segment, length);
            sent += length;
        }
        long total = sent;
        await().until(() -> received.length() == total);
    }

    @Test
    void shouldWakeAWaitingProducerWhenTheOutputCloses() throws Exception {
        processes.deliver(1, 900);
        AtomicReference<Segment> result = new AtomicReference<>();
        Thread waiting = new Thread(() -> result.set(out.getOutputSegment(1, 200, true)));
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        out.close();
        waiting.join();
        assertThat(result.get()).isSameAs(Segment.CLOSED);
    }

    @Test
    void shouldMakeASlowSubscriberSkipToTheNewestBoundaryOnRequest() throws Exception {
        Collected received = subscriber().holding();
        processes.deliver(1, 1000);
        await().until(() -> received.length() == 1000);
        processes.deliver(1, 500);
        assertThat(out.subscriptions()).hasSize(1).allSatisfy(subscription -> {
            assertThat(subscription.slowPolicy()).isEqualTo(SlowPolicy.BLOCK);
            assertThat(subscription.pendingLength()).isEqualTo(500);
        });
        assertThat(out.skip(1)).isEqualTo(500);
        await().until(() -> !received.events().isEmpty());
        assertThat(received.events()).containsExactly("gap buffer=1 position=1000 lost=500");
        assertThat(out.subscriptions().get(0).lostLength()).isEqualTo(500);
        assertThat(out.skip(2)).isEqualTo(-1);
    }

    private Collected subscriber() throws Exception {
        Collected received = Collected.by(processes.connect());
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        return received;
    }
}

package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class HeartbeatTest implements LinkOwner {
    /** How late a timer may fire on an idle machine. */
    private static final int LATENESS_NS = 200_000;

    private static final int TICKS = 1000;

    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
    private final Link link = new Link(connection, this, 64 << 20);
    private long nowNs = -TimeUnit.SECONDS.toNanos(3) - 123_456_789;
    private long sentNs;
    private long longestGapNs;
    private int sendCount;
    private long countedMs;
    private boolean hasBuffers;
    private long tickTakesNs;

    @Override
    public void fail(TransportException cause) {
        throw cause;
    }

    @Override
    public void disconnect(String reason) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendingFinished() {
        throw new UnsupportedOperationException();
    }

    private void send() {
        sendCount++;
        worker.run(() -> link.offer(ByteBuffer.allocate(8)));
        longestGapNs = Math.max(longestGapNs, nowNs - sentNs);
        sentNs = nowNs;
    }

    private boolean tick(long elapsedMs) {
        countedMs += elapsedMs;
        nowNs += tickTakesNs;
        return hasBuffers;
    }

    private Heartbeat start(int intervalMs) {
        return start(intervalMs, Long.MAX_VALUE);
    }

    private Heartbeat start(int intervalMs, long silenceMs) {
        Heartbeat.Times times = new Heartbeat.Times(intervalMs, silenceMs, Long.MAX_VALUE);
        Heartbeat heartbeat = new Heartbeat(link, times, this::send, this::tick, () -> nowNs);
        link.sender().open(ByteBuffer.allocate(8));
        sentNs = nowNs;
        heartbeat.greeted(intervalMs);
        worker.run(heartbeat::start);
        return heartbeat;
    }

    private long dueNs() {
        return Worker.dueNs(nowNs, worker.lastDelayMs());
    }

    @ParameterizedTest
    @CsvSource({
        "40, true",
        "40, false",
        "400, true",
        "400, false",
        "1000, true",
        "1000, false",
        "2000, true",
        "2000, false",
        "10000, true",
        "10000, false",
        "60000, true",
        "60000, false"
    })
    void shouldSendSomethingInEachInterval(int intervalMs, boolean hasBuffersMostly) {
        Random random = new Random(intervalMs);
        start(intervalMs);
        for (int i = 0; i < TICKS; i++) {
            long dueNs = dueNs();
            hasBuffers = hasBuffersMostly ^ random.nextInt(20) == 0;
            if (random.nextInt(20) == 0) {
                nowNs += random.nextLong(dueNs - nowNs);
                send(); // the application's message, at any time between two ticks
            }
            nowNs = dueNs + random.nextInt(LATENESS_NS);
            worker.run(worker.takeScheduled());
        }
        assertThat(longestGapNs)
                .isBetween(
                        TimeUnit.MILLISECONDS.toNanos(intervalMs / 2),
                        TimeUnit.MILLISECONDS.toNanos(intervalMs) + LATENESS_NS);
    }

    @ParameterizedTest
    @CsvSource({
        "2000, true, 496, 62", "400, true, 96, 12", "60000, true, 496, 62", "40, true, 10, 1",
        "2000, false, 1984, 248", "400, false, 384, 48", "60000, false, 1984, 248", "40, false, 40, 4"
    })
    void shouldTickAtCommonInstants(int intervalMs, boolean hasBuffers, long tickMs, long phaseMs) {
        this.hasBuffers = hasBuffers;
        start(intervalMs);
        tickOnce(); // the first time, it is not known whether the connection has buffers
        nowNs = dueNs();
        for (int i = 0; i < TICKS; i++) {
            assertThat(nowNs % TimeUnit.MILLISECONDS.toNanos(phaseMs)).isZero();
            long beforeNs = nowNs;
            nowNs += LATENESS_NS;
            worker.run(worker.takeScheduled());
            nowNs = dueNs();
            assertThat(nowNs - beforeNs).isEqualTo(TimeUnit.MILLISECONDS.toNanos(tickMs));
        }
    }

    @Test
    void shouldTickAtCommonInstantsEvenIfTicksTakeLong() {
        hasBuffers = true;
        tickTakesNs = TimeUnit.MILLISECONDS.toNanos(300);
        Heartbeat heartbeat = start(2000);
        tickOnce();
        nowNs = dueNs();
        for (int i = 0; i < TICKS; i++) {
            assertThat(nowNs % TimeUnit.MILLISECONDS.toNanos(62)).isZero();
            long beforeNs = nowNs;
            worker.run(worker.takeScheduled());
            assertThat(heartbeat.isLate()).isFalse();
            nowNs = dueNs();
            assertThat(nowNs - beforeNs).isEqualTo(TimeUnit.MILLISECONDS.toNanos(496));
        }
    }

    private void tickOnce() {
        nowNs = dueNs();
        worker.run(worker.takeScheduled());
    }

    @Test
    void shouldTickOftenAgainFromTheFirstTickWithABuffer() {
        start(2000);
        tickOnce();
        hasBuffers = true;
        tickOnce();
        long beforeNs = nowNs;
        tickOnce();
        assertThat(nowNs - beforeNs).isEqualTo(TimeUnit.MILLISECONDS.toNanos(496));
    }

    /** The first buffer may have been added just before the tick. */
    @Test
    void shouldNotCountMoreThanAShortTickForTheFirstBuffer() {
        start(2000);
        tickOnce();
        countedMs = 0;
        hasBuffers = true;
        tickOnce();
        assertThat(countedMs).isEqualTo(496);
    }

    @Test
    void shouldTickAtOnceWhenTheFirstBufferAppears() {
        Heartbeat heartbeat = start(2000);
        heartbeat.onBuffer(); // ticks are still frequent
        assertThat(worker.lastDelayMs()).isPositive();
        tickOnce();
        Future<?> late = worker.lastScheduled();
        nowNs += TimeUnit.MILLISECONDS.toNanos(1200);
        hasBuffers = true;
        heartbeat.onBuffer();
        assertThat(late).isCancelled();
        assertThat(worker.lastDelayMs()).isZero();
        Future<?> early = worker.lastScheduled();
        heartbeat.onBuffer();
        assertThat(worker.lastScheduled()).isSameAs(early);
        countedMs = 0;
        tickOnce();
        assertThat(heartbeat.isLate()).isFalse();
        assertThat(countedMs).isEqualTo(496);
        assertThat(TimeUnit.NANOSECONDS.toMillis(dueNs() - nowNs)).isBetween(430L, 496L);
    }

    @Test
    void shouldDetectASilentPeerSoonAlsoWithoutBuffers() {
        Heartbeat heartbeat = start(2000, 10_000);
        tickOnce();
        heartbeat.heard();
        long heardNs = nowNs;
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < TICKS; i++) {
                        tickOnce();
                    }
                })
                .withMessageContaining("no data received for 10000 ms");
        assertThat(TimeUnit.NANOSECONDS.toMillis(nowNs - heardNs)).isBetween(10_000L, 12_500L);
    }

    /** The peer's data is read after the tick. */
    @Test
    void shouldNotCountASuspensionOfThisProcessAgainstThePeer() {
        for (boolean has : new boolean[] {false, true}) {
            hasBuffers = has;
            Heartbeat heartbeat = start(2000, 2001);
            heartbeat.greeted(500);
            heartbeat.heard();
            tickOnce();
            for (int i = 0; i < TICKS; i++) {
                heartbeat.heard();
                tickOnce();
                nowNs += TimeUnit.HOURS.toNanos(1);
                worker.run(worker.takeScheduled());
            }
        }
    }

    @Test
    void shouldPingOncePerIntervalWithoutBuffers() {
        start(2000);
        tickOnce();
        for (long endNs = nowNs + TimeUnit.SECONDS.toNanos(2000); nowNs < endNs; ) {
            tickOnce();
        }
        assertThat(sendCount).isBetween(1000, 1010);
    }

    @Test
    void shouldStillTickOftenBeforeThePeersGreeting() {
        Heartbeat.Times times = new Heartbeat.Times(2000, Long.MAX_VALUE, Long.MAX_VALUE);
        worker.run(new Heartbeat(link, times, this::send, this::tick, () -> nowNs)::start);
        tickOnce();
        long beforeNs = nowNs;
        tickOnce();
        assertThat(nowNs - beforeNs).isEqualTo(TimeUnit.MILLISECONDS.toNanos(496));
        assertThat(sendCount).isZero();
    }

    /** The timer must not end because an application's callback throws. */
    @Test
    void shouldContinueIfATickThrows() {
        Heartbeat.Times times = new Heartbeat.Times(2000, Long.MAX_VALUE, Long.MAX_VALUE);
        Heartbeat heartbeat = new Heartbeat(
                link,
                times,
                this::send,
                elapsedMs -> {
                    throw new IllegalStateException("from a callback");
                },
                () -> nowNs);
        worker.run(heartbeat::start);
        Future<?> before = worker.lastScheduled();
        assertThatIllegalStateException().isThrownBy(this::tickOnce);
        assertThat(worker.lastScheduled()).isNotSameAs(before);
    }
}

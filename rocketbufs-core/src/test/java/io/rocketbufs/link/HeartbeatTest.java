package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
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
        worker.run(() -> link.offer(ByteBuffer.allocate(8)));
        longestGapNs = Math.max(longestGapNs, nowNs - sentNs);
        sentNs = nowNs;
    }

    private Heartbeat start(int intervalMs) {
        Heartbeat.Times times = new Heartbeat.Times(intervalMs, Long.MAX_VALUE, Long.MAX_VALUE);
        Heartbeat heartbeat = new Heartbeat(link, times, this::send, elapsedMs -> {}, () -> nowNs);
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
    @CsvSource({"40", "400", "1000", "2000", "10000", "60000"})
    void shouldSendSomethingInEachInterval(int intervalMs) {
        Random random = new Random(intervalMs);
        start(intervalMs);
        for (int i = 0; i < TICKS; i++) {
            long dueNs = dueNs();
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
    @CsvSource({"2000, 496, 62", "400, 96, 12", "60000, 496, 62", "40, 10, 1"})
    void shouldTickAtCommonInstants(int intervalMs, long tickMs, long phaseMs) {
        start(intervalMs);
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
}

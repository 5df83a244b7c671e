package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.arrival;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Worker;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a worker blocks by default and spins if configured, and that neither behaviour delays its other work. */
@Timeout(600)
final class TcpSpinningTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String FOR_EVER = "spin-us = 1000000\nnum-threads = 1";
    private static final long WINDOW_MS = 500;

    /** Returns the processor time that an idle worker uses within a fixed time. */
    private static Duration idle(Worker worker) throws Exception {
        CompletableFuture<Long> id = new CompletableFuture<>();
        worker.execute(() -> id.complete(Thread.currentThread().getId()));
        long before = THREADS.getThreadCpuTime(id.get(60, TimeUnit.SECONDS));
        CompletableFuture<Void> over = new CompletableFuture<>();
        worker.schedule(() -> over.complete(null), WINDOW_MS);
        over.get(60, TimeUnit.SECONDS);
        return Duration.ofNanos(THREADS.getThreadCpuTime(id.get()) - before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldBlockByDefault(String io) {
        try (TcpEnds ends = new TcpEnds(io)) {
            Awaitility.await().untilAsserted(() -> {
                Worker worker = ends.connect().connection().worker();
                assertThat(idle(worker)).isLessThan(Duration.ofMillis(WINDOW_MS / 100));
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldBlockAfterTheSpinTime(String io) {
        try (TcpEnds ends = new TcpEnds(io, "spin-us = 1000")) {
            Awaitility.await().untilAsserted(() -> {
                Worker worker = ends.connect().connection().worker();
                assertThat(idle(worker)).isLessThan(Duration.ofMillis(WINDOW_MS / 20));
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldPollWithinTheSpinTime(String io) {
        try (TcpEnds ends = new TcpEnds(io, FOR_EVER)) {
            // A worker that polls for only a millisecond uses less time than this. The bound is low, because the worker
            // gets little time on a busy machine.
            Awaitility.await().until(() -> {
                Worker worker = ends.connect().connection().worker();
                return idle(worker).toMillis() > WINDOW_MS / 20;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldRunTasksAndTimersAndReceiveDataWhileSpinning(String io) throws Exception {
        try (TcpEnds ends = new TcpEnds(io, FOR_EVER)) {
            TcpRecordingHandler client = ends.connect();
            TcpRecordingHandler server = ends.accepted(0);
            for (int i = 0; i < 100; i++) {
                CompletableFuture<Void> ran = new CompletableFuture<>();
                client.connection().worker().execute(() -> ran.complete(null));
                ran.get(60, TimeUnit.SECONDS);
                CompletableFuture<Void> rang = new CompletableFuture<>();
                client.connection().worker().schedule(() -> rang.complete(null), 1);
                rang.get(60, TimeUnit.SECONDS);
            }
            TcpSender sender = new TcpSender(client, ends.memory);
            assertThat(sender.tryWrite(7, bytes("ping"))).isEqualTo(PostResult.SENT);
            server.awaitEvents(arrival(7, bytes("ping")));
            client.connection().worker().execute(client.connection()::close);
            server.awaitEvent("finished");
        }
    }
}

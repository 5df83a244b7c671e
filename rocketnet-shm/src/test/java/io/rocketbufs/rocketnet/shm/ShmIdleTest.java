package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.Worker;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that idle connections use no processor time by default, and that workers poll for data if so configured. */
@Timeout(600)
final class ShmIdleTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int CONNECTIONS = 10;
    private static final long WINDOW_MS = 500;

    /** One end of a connection that carries no data. */
    private static final class End extends ShmIgnoringHandler {
        private final TransportConnection connection;

        End(TransportConnection connection) {
            this.connection = connection;
        }

        @Override
        public void failed(TransportException cause) {
            connection.close();
        }
    }

    /** Opens a transport with one worker, and with idle connections to itself. */
    private static Transport connected(String keys) throws Exception {
        Transport transport =
                new ShmTransportProvider().open(ShmEnds.config(ConfigFactory.load(), "num-threads = 1, " + keys));
        TransportListener listener =
                transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), End::new);
        for (int i = 0; i < CONNECTIONS; i++) {
            transport.connect(listener.address(), End::new).get(60, TimeUnit.SECONDS);
        }
        listener.close();
        return transport;
    }

    /** Returns the processor time that the idle worker uses within a fixed time. */
    private static Duration idle(Transport transport) throws Exception {
        Worker worker = transport.workers().get(0);
        CompletableFuture<Long> id = new CompletableFuture<>();
        worker.execute(() -> id.complete(Thread.currentThread().getId()));
        long before = THREADS.getThreadCpuTime(id.get(60, TimeUnit.SECONDS));
        CompletableFuture<Void> over = new CompletableFuture<>();
        worker.schedule(() -> over.complete(null), WINDOW_MS);
        over.get(60, TimeUnit.SECONDS);
        return Duration.ofNanos(THREADS.getThreadCpuTime(id.get()) - before);
    }

    @Test
    void shouldUseNoProcessorTimeByDefault() throws Exception {
        try (Transport transport = connected("")) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(idle(transport)).isLessThan(Duration.ofMillis(WINDOW_MS / 100)));
        }
    }

    @Test
    void shouldSleepAfterThePollingTime() throws Exception {
        try (Transport transport = connected("spin-us = 1000")) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(idle(transport)).isLessThan(Duration.ofMillis(WINDOW_MS / 20)));
        }
    }

    @Test
    void shouldPollForDataForTheConfiguredTime() throws Exception {
        try (Transport transport = connected("spin-us = 1000000")) {
            // A worker that polls for only a millisecond uses less time than this. The bound is low, because the worker
            // gets little time on a busy machine.
            Awaitility.await().until(() -> idle(transport).toMillis() > WINDOW_MS / 20);
        }
    }
}

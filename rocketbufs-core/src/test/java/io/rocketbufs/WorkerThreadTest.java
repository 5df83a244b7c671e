package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class WorkerThreadTest {
    @Test
    void shouldRecogniseEachWorkerOfEachTransport() throws Exception {
        LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.socket().workers(2));
        Transport[] transports = {network.transport("one"), network.transport("two")};
        try (network;
                RocketBufs own = RocketBufs.open(ConfigFactory.load(), transports);
                RocketBufs other = RocketBufs.open(ConfigFactory.load(), network.transport("three"))) {
            for (Transport transport : transports) {
                assertThat(transport.workers()).hasSize(2);
                for (Worker worker : transport.workers()) {
                    assertThat(CompletableFuture.supplyAsync(own::isWorkerThread, worker)
                                    .get(60, TimeUnit.SECONDS))
                            .isTrue();
                    assertThat(CompletableFuture.supplyAsync(other::isWorkerThread, worker)
                                    .get(60, TimeUnit.SECONDS))
                            .isFalse();
                }
            }
            assertThat(own.isWorkerThread()).isFalse();
        }
    }

    @Test
    void shouldRunATaskOnTheWorkerOfTheConnection() throws Exception {
        try (TwoProcesses processes = new TwoProcesses()) {
            Connection connection = processes.connect().connection();
            CompletableFuture<Boolean> ranOnWorker = new CompletableFuture<>();
            connection.execute(() -> ranOnWorker.complete(connection.isWorkerThread()));
            assertThat(ranOnWorker.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void shouldCloseTheConnectionWhoseTaskThrows() throws Exception {
        try (TwoProcesses processes = new TwoProcesses()) {
            Connection connection = processes.connect().connection();
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            connection.setCloseCallback(failure::complete);
            connection.execute(() -> {
                throw new IllegalStateException("not understood");
            });
            assertThat(failure.get(60, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            e -> assertThat(e.isInternal()).isTrue())
                    .hasMessage(connection.peer() + ": a task failed: not understood");
        }
    }

    @Test
    void shouldRunATaskAfterTheConnectionHasEnded() throws Exception {
        try (TwoProcesses processes = new TwoProcesses()) {
            Connection connection = processes.connect().connection();
            connection.close();
            connection.closed().get(60, TimeUnit.SECONDS);
            connection.execute(() -> {
                throw new IllegalStateException("must not end the worker");
            });
            CompletableFuture<Void> ran = new CompletableFuture<>();
            connection.execute(() -> ran.complete(null));
            ran.get(60, TimeUnit.SECONDS);
        }
    }
}

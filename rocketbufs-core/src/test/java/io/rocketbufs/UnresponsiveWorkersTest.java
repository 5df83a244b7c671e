package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class UnresponsiveWorkersTest {
    private static final long LONG_MS = 30_000;

    private final LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.socket());
    private final Transport transport = network.transport("loopback");
    private final RocketBufs rocketBufs = RocketBufs.open(ConfigFactory.load(), transport);
    private final Worker worker = transport.workers().get(0);

    @AfterEach
    void close() {
        rocketBufs.close();
        network.close();
    }

    @Test
    void shouldReportTheWorkerThatIsStuckInATask() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        worker.execute(released::join);
        assertThat(rocketBufs.unresponsiveWorkers(1))
                .contains("loopback worker 1 of " + transport.workers().size());
        released.complete(null);
        assertThat(rocketBufs.unresponsiveWorkers(LONG_MS)).isEmpty();
    }

    @Test
    void shouldRefuseToWaitOnAWorker() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        worker.execute(() -> {
            try {
                rocketBufs.unresponsiveWorkers(LONG_MS);
                thrown.complete(null);
            } catch (IllegalStateException e) {
                thrown.complete(e);
            }
        });
        assertThat(thrown.get(60, TimeUnit.SECONDS))
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasMessageContaining("none of them may call it");
    }
}

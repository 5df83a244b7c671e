package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class RocketBufsCloseTest {
    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldRefuseToCloseOnAWorkerButCloseOnAnotherThread() throws Exception {
        processes.out.createBuffer(1, 1000);
        RIn in = processes.connect();
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        in.setDataInCallback((bufferId, data) -> {
            refused.complete(catchThrowable(processes.receiving::close));
            in.dataConsumed(bufferId, data.length());
        });
        in.subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        processes.deliver(1, 10);
        assertThat(refused.get(60, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        assertThat(in.connection().isOpen()).isTrue();
        assertThat(processes.receiving.memoryInUse()).isPositive();
        processes.out.flush(1).get(60, TimeUnit.SECONDS);
        processes.receiving.close();
        assertThat(in.connection().isOpen()).isFalse();
    }
}

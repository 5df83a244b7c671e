package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of an input that is spliced before its sender has reported whether the buffer has flow control. */
@Timeout(600)
final class SpliceBeforeAgreementTest {
    private static final SubscribeOptions KEEPING_TO_CREDIT = SubscribeOptions.DEFAULTS.withFlowControl(true);

    private final TwoProcesses processes = new TwoProcesses();
    private final ROut spliced = new ROut(processes.receiving);
    private RIn in;

    @BeforeEach
    void create() throws Exception {
        processes.out.createBuffer(1, 1000);
        processes.out.createBuffer(2, 1000, BufferOptions.DEFAULTS.withFlowControl(false));
        in = processes.connect();
    }

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldForwardWhenTheFlowControlOfTheSenderMatchesTheOptions() throws Exception {
        subscribeAndSplice(1, SubscribeOptions.DEFAULTS, true).get(60, TimeUnit.SECONDS);
        subscribeAndSplice(2, KEEPING_TO_CREDIT, false).get(60, TimeUnit.SECONDS);
        processes.deliver(1, 10);
        processes.deliver(2, 20);
        await().until(() -> in.receivedPosition(1) == 10 && in.receivedPosition(2) == 20);
    }

    @Test
    void shouldFailTheSubscriptionWhenTheFlowControlOfTheSenderDiffers() {
        assertRefused(KEEPING_TO_CREDIT, "has flow control off");
    }

    @Test
    void shouldFailTheSubscriptionWhenTheSenderIgnoresCredit() {
        assertRefused(SubscribeOptions.DEFAULTS, "subscribe with SubscribeOptions.withFlowControl(true)");
    }

    private void assertRefused(SubscribeOptions options, String reason) {
        assertThatThrownBy(() -> subscribeAndSplice(2, options, true).get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(TransportException.class)
                .hasMessageContaining("buffer 2")
                .hasMessageContaining(reason);
        processes.deliver(2, 20);
        await().until(() -> processes.out.subscriptionCount(2) == 0);
        await().until(() -> processes.receiving.memoryInUse() == 0);
        assertThat(in.connection().isOpen()).isTrue();
        in.subscribe(2, 1000).join();
    }

    /** Runs on the worker, so that the sender's answer cannot arrive before the action has ended. */
    private CompletableFuture<Void> subscribeAndSplice(int bufferId, SubscribeOptions options, boolean flowControl) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            CompletableFuture<Void> subscribed = in.subscribe(bufferId, 1000, options);
                            spliced.splice(in, bufferId, bufferId, BufferOptions.DEFAULTS.withFlowControl(flowControl));
                            return subscribed;
                        },
                        in.connection().session().worker())
                .join();
    }
}

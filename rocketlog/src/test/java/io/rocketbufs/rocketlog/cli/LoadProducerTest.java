package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
final class LoadProducerTest {
    private static final String TOPIC = "t";

    @TempDir
    Path folder;

    private final AtomicLong checks = new AtomicLong();
    private final AtomicLong sentBefore = new AtomicLong();
    private LoadProducer producer;

    /**
     * Sends records. Each check calls {@code ahead} with its number, to find out how many records the consumers are
     * behind.
     */
    private void send(int count, int producers, int size, int rate, LongUnaryOperator ahead) throws Exception {
        LogLoad load = new LogLoad(LogLoad.Kind.ENDTOEND, TOPIC, 1, producers, 1, size, rate, count);
        CompletableFuture<Void> failure = new CompletableFuture<>();
        producer = new LoadProducer(
                load,
                0,
                LoadProducer.ALL_PARTITIONS,
                () -> {
                    long check = checks.incrementAndGet();
                    long result = ahead.applyAsLong(check);
                    if (result > 0) {
                        sentBefore.set(producer.sent());
                    }
                    return result;
                },
                failure::completeExceptionally);
        try (RunningLogBroker broker = new RunningLogBroker(folder, "rocketbufs.transport = tcp").withTopic(TOPIC, 1)) {
            producer.open(broker.clients(), broker.settings());
            broker.opened(producer);
            Thread thread = new Thread(producer);
            thread.start();
            await().until(() -> producer.hasEnded() || failure.isDone());
            thread.join();
            assertThat(failure).isNotDone();
        }
    }

    @Test
    void shouldWaitForConsumersThatCannotFollowTheRate() throws Exception {
        send(100, 1, 256, 1_000_000, check -> check < 1000 ? Long.MAX_VALUE : 0);
        assertThat(checks.get()).isGreaterThanOrEqualTo(1000);
        assertThat(sentBefore.get()).isZero();
    }

    @Test
    void shouldLookForTheConsumersMoreOftenIfRecordsAreLongAndProducersAreMany() throws Exception {
        send(10, 128, 512 << 10, 0, check -> 0);
        assertThat(checks.get()).isEqualTo(10);
    }

    @Test
    void shouldComputeWhenARecordIsDueAfterYears() {
        assertThat(LoadProducer.timeNs(3, 2)).isEqualTo(1_500_000_000);
        assertThat(LoadProducer.timeNs(10_000_000_001L, 1_000)).isEqualTo(10_000_000_001_000_000L);
        assertThat(LoadProducer.timeNs(Integer.MAX_VALUE - 1L, Integer.MAX_VALUE))
                .isEqualTo(999_999_999);
    }
}

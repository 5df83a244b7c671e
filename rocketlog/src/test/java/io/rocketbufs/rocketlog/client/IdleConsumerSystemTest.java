package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.rocketlog.RunningLogBroker;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of idle consumers, which have read all records and wait for a notification from the broker. */
@Tag("once")
@Timeout(600)
final class IdleConsumerSystemTest {
    /** Settings that make a consumer poll too late if it still polls during a long idle period. */
    private static final String SETTINGS = "rocketlog { consumer { poll-time = 1 ms, poll-delay = 1 h },"
            + " client.connect-timeout = 60 s }\nrocketbufs { heartbeat-interval = 1 m, heartbeat-timeout = 10 m }\n";

    private static final RecordCallback ANY = (partition, offset, timestamp, key, value) -> true;

    @TempDir
    Path folder;

    private static void append(LogProducer producer, int partition) throws Exception {
        producer.append(partition, null, ByteBuffer.allocate(100)).get(60, TimeUnit.SECONDS);
    }

    private static void awaitWaits(RunningLogBroker running, int count) {
        await().until(() -> running.status().contains("\"waitingSegments\":" + count + ","));
    }

    /** Polls on another thread until a record arrives. */
    private static CompletableFuture<Integer> next(LogConsumer consumer) {
        return CompletableFuture.supplyAsync(() -> consumer.poll(TimeUnit.HOURS.toMillis(1), ANY));
    }

    @ParameterizedTest
    @CsvSource({
        "tcp, interval",
        "tcp, always",
        "shm, interval",
        "shm, always",
        "rdma, interval",
        "tcp, ",
        "shm, ",
        "rdma, "
    })
    void shouldReceiveARecordAfterASilenceWithoutPolling(String transport, String flush) throws Exception {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running = new RunningLogBroker(
                folder,
                SETTINGS,
                "rocketbufs.transport = " + transport,
                "rocketlog.flush = " + (flush == null ? "interval" : flush))) {
            if (flush == null) {
                running.withMemoryTopic("orders", 3, 16 << 20);
            } else {
                running.withTopic("orders", 3);
            }
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            LogConsumer consumer = running.opened(
                    LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
            for (int i = 0; i < 20; i++) {
                CompletableFuture<Integer> received = next(consumer);
                awaitWaits(running, 3);
                append(producer, i % 3);
                assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            }
        }
    }

    /**
     * A segment of 64 KiB ends after one record, so the consumer must open the next segment after every notification.
     */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldContinueInTheNextSegmentAfterASilence(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running = new RunningLogBroker(
                        folder,
                        SETTINGS,
                        "rocketbufs.transport = " + transport,
                        "rocketlog { segment-length = 64 KiB, batch.longest = 64 KiB, flush-interval = 20 ms,"
                                + " retention.length = 1 }")
                .withTopic("orders", 1)) {
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            LogConsumer consumer = running.opened(
                    LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
            for (int i = 0; i < 10; i++) {
                CompletableFuture<Integer> received = next(consumer);
                awaitWaits(running, 1);
                producer.append(0, null, ByteBuffer.allocate(60_000)).get(60, TimeUnit.SECONDS);
                assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            }
            assertThat(consumer.skippedCount()).isZero();
        }
    }

    /**
     * The end of the lease also ends the segment, because the segment has no room for the longest batch. No further
     * record follows in it.
     */
    @Test
    void shouldMoveToTheNextSegmentWhenALeaseHasEndedTheLastOne() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(
                        folder,
                        SETTINGS,
                        "rocketlog { segment-length = 64 KiB, batch.longest = 64 KiB",
                        "produce.direct.topics = [orders]",
                        "producer { mode = exclusive, batch = 4 KiB, memory = 64 KiB } }")
                .withTopic("orders", 1)) {
            LogConsumer consumer = running.opened(
                    LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
            try (LogProducer exclusive =
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
                CompletableFuture<Integer> first = next(consumer);
                append(exclusive, 0);
                assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(running.status()).contains("\"writtenBatches\":1,");
            }
            CompletableFuture<Integer> second = next(consumer);
            await().until(() -> running.status().contains("\"openedSegments\":2,"));
            append(
                    running.opened(
                            LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)),
                    0);
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        }
    }

    private static long received(RunningLogBroker running) {
        return running.brokers().metrics().connections().stream()
                .mapToLong(ConnectionState::receivedCount)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk", "memory"})
    void shouldSendNothingWhileAHundredConsumersWait(String storage) throws Exception {
        int partitions = 1000;
        int consumerCount = 100;
        try (RunningLogBroker running = new RunningLogBroker(
                folder,
                SETTINGS,
                "rocketlog { consumer.fetch = 4 KiB, batch.longest = 8 KiB, client.connect-timeout = 60 s }",
                "rocketbufs.transport = tcp")) {
            if (storage.equals("memory")) {
                running.withMemoryTopic("orders", partitions, 64 << 10);
            } else {
                running.withTopic("orders", partitions);
            }
            List<LogConsumer> consumers = new ArrayList<>();
            for (int i = 0; i < consumerCount; i++) {
                ConsumerOptions options = ConsumerOptions.DEFAULTS;
                for (int j = i; j < partitions; j += consumerCount) {
                    options = options.withPartition(j, ConsumerStart.EARLIEST);
                }
                consumers.add(
                        running.opened(LogConsumer.open(running.clients(), running.settings(), "orders", options)));
            }
            await().until(() -> {
                consumers.forEach(consumer -> consumer.poll(1, ANY));
                return running.status().contains("\"waitingSegments\":" + partitions + ",");
            });
            long before = received(running);
            for (int i = 0; i < 20; i++) {
                consumers.forEach(consumer -> assertThat(consumer.poll(1, ANY)).isZero());
            }
            assertThat(received(running)).isEqualTo(before);
            assertThat(running.status()).contains("\"wait\":" + consumerCount + "}");
        }
    }

    @Test
    void shouldPollWithoutWaitingForTheBrokerWhenTheTimeoutIsZero() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder, SETTINGS).withTopic("orders", 1)) {
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            LogConsumer consumer = running.opened(
                    LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
            for (int i = 0; i < 100; i++) {
                append(producer, 0);
                await().until(() -> consumer.poll(0, ANY) == 1);
            }
            assertThat(running.status()).contains("\"wait\":0}");
            await().until(() -> consumer.poll(10, ANY) == 0 && running.status().contains("\"waitingSegments\":1,"));
            append(producer, 0);
            await().until(() -> consumer.poll(0, ANY) == 1); // even if the notification has not arrived yet
            append(producer, 0);
            await().until(() -> consumer.poll(1000, ANY) == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk", "memory"})
    void shouldAskOnceInASilenceInWhichItAlsoPollsWithTheTimeoutZero(String storage) throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder, SETTINGS)) {
            if (storage.equals("memory")) {
                running.withMemoryTopic("orders", 2, 16 << 20);
            } else {
                running.withTopic("orders", 2);
            }
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            LogConsumer consumer = running.opened(
                    LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
            for (int i = 0; i < 5; i++) {
                String requests = "\"wait\":" + (i + 1) + "}";
                await().until(() -> {
                    assertThat(consumer.poll(1, ANY)).isZero();
                    return running.status().contains("\"waitingSegments\":2,");
                });
                for (int j = 0; j < 20; j++) {
                    assertThat(consumer.poll(0, ANY)).isZero();
                    assertThat(consumer.poll(1, ANY)).isZero();
                }
                assertThat(running.status()).contains(requests, "\"waitingSegments\":2,");
                append(producer, i % 2);
                assertThat(consumer.poll(60_000, ANY)).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldWaitAgainAfterALostConnection() throws Exception {
        try (RunningLogBroker running =
                new RunningLogBroker(folder, SETTINGS, "rocketbufs.transport = tcp").withTopic("orders", 1)) {
            LossyLink link = running.opened(new LossyLink(running.address()));
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            LogConsumer consumer = running.opened(LogConsumer.open(
                    running.clients(),
                    running.settings().withBroker(link.address()),
                    "orders",
                    ConsumerOptions.DEFAULTS));
            for (int i = 1; i <= 3; i++) {
                CompletableFuture<Integer> received = next(consumer);
                awaitWaits(running, 1);
                link.cut();
                String requests = "\"wait\":" + 2 * i + "}";
                await().until(() -> running.status().contains(requests));
                awaitWaits(running, 1); // the broker must have detected the end of the previous connection
                append(producer, 0);
                assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(consumer.reconnectCount()).isEqualTo(i);
            }
        }
    }
}

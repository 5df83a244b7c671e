package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of consumers that read while the broker's process on the same machine is stopped, so that none of its threads
 * can run.
 */
@Tag("once")
@Timeout(600)
final class StoppedBrokerSystemTest {
    private static final String SHM = "rocketbufs.transport=shm";
    private static final int COUNT = 500;

    @TempDir
    Path folder;

    private int consumed;

    private static void produce(LogProducer producer, int from) {
        for (int i = from; i < from + COUNT; i++) {
            SentRecords.send(producer, 0, "record " + i);
        }
        producer.flush();
    }

    private void consume(LogConsumer consumer, int end) {
        await().pollInterval(1, TimeUnit.MILLISECONDS)
                .atMost(60, TimeUnit.SECONDS)
                .until(() -> {
                    consumer.poll(0, (partition, offset, timestamp, key, value) -> {
                        assertThat(StandardCharsets.US_ASCII.decode(value).toString())
                                .isEqualTo("record " + consumed);
                        consumed++;
                        return true;
                    });
                    return consumed == end;
                });
    }

    @ParameterizedTest
    @EnumSource
    void shouldServeConsumersThroughSharedMemory(TopicStorage storage) throws Exception {
        Path directory = folder.resolve("data");
        BrokerProcess broker = BrokerProcess.start(directory, 0, SHM);
        try (RocketBufs rocketBufs = RocketBufs.open(
                        RunningLogBroker.config(directory, SHM, "rocketbufs.heartbeat-timeout = 300 s"));
                TopicClient topics = TopicClient.connect(rocketBufs, broker.settings(directory))) {
            create(topics, storage);
            try (LogProducer producer =
                            LogProducer.open(rocketBufs, broker.settings(directory), "orders", ProducerCallback.NONE);
                    LogConsumer consumer = LogConsumer.open(
                            rocketBufs, broker.settings(directory), "orders", ConsumerOptions.DEFAULTS)) {
                produce(producer, 0);
                consume(consumer, COUNT);
                await().until(consumer::readsDirectly);
                produce(producer, COUNT);
                broker.signal("STOP");
                consume(consumer, 2 * COUNT);
                for (int i = 0; i < 10_000; i++) {
                    assertThat(consumer.poll(0, (partition, offset, timestamp, key, value) -> true))
                            .isZero();
                }
                broker.signal("CONT");
                produce(producer, 2 * COUNT);
                consume(consumer, 3 * COUNT);
            } finally {
                broker.signal("CONT");
            }
        } finally {
            broker.close();
        }
    }

    private static void create(TopicClient topics, TopicStorage storage) {
        if (storage == TopicStorage.MEMORY) {
            topics.createInMemory("orders", 1, 64 << 20);
        } else {
            topics.create("orders", 1);
        }
    }
}

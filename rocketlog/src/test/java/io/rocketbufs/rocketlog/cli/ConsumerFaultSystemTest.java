package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of consumers whose broker is killed or has a small disk. */
@Tag("once")
@Timeout(600)
final class ConsumerFaultSystemTest {
    private static final String[] SETTINGS = {
        "rocketlog.segment-length=256 KiB", "rocketlog.batch.longest=32 KiB", "rocketlog.produce.ring-capacity=256 KiB"
    };

    /** Number of records, several times as many as fit on the small disk. */
    private static final int RECORDS = 15_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"tcp, 3", "shm, 2", "rdma, 2"})
    void shouldReadEveryAcknowledgedRecordOnceAndInOrderWhenTheBrokerIsKilled(String transport, int rounds)
            throws Exception {
        RunningLogBroker.assume(transport, folder);
        killRepeatedly(transport, rounds);
    }

    @ParameterizedTest
    @CsvSource({"tcp, 100", "shm, 50", "rdma, 50"})
    @Tag("slow")
    @Timeout(1800)
    void shouldReadEveryAcknowledgedRecordOnceAndInOrderWhenTheBrokerIsKilledManyTimes(String transport, int rounds)
            throws Exception {
        RunningLogBroker.assume(transport, folder);
        killRepeatedly(transport, rounds);
    }

    private void killRepeatedly(String transport, int rounds) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Path directory = folder.resolve("data");
        List<String> sent = new ArrayList<>();
        AtomicLong consumed = new AtomicLong();
        AtomicLong expected = new AtomicLong(Long.MAX_VALUE);
        String[] settings = Arrays.copyOf(SETTINGS, SETTINGS.length + 2);
        settings[SETTINGS.length] = "rocketbufs.transport=" + transport;
        settings[SETTINGS.length + 1] = "rocketbufs.rdma.provider=tcp";
        BrokerProcess broker = BrokerProcess.start(directory, 0, settings);
        try (RocketBufs rocketBufs =
                RocketBufs.open(RunningLogBroker.config(directory, "rocketbufs.transport = " + transport))) {
            broker.createTopic(rocketBufs, directory, "orders", 1);
            BrokerProcess first = broker;
            CompletableFuture<Long> reconnects =
                    CompletableFuture.supplyAsync(() -> consume(rocketBufs, first, directory, consumed, expected));
            try (LogProducer producer = LogProducer.open(
                    rocketBufs,
                    broker.settings(
                            directory, "rocketlog.producer { batch = 1 KiB, memory = 8 KiB, retry-delay = 20 ms }"),
                    "orders",
                    ProducerCallback.NONE)) {
                for (int round = 0; round < rounds; round++) {
                    for (int i = 2000 + random.nextInt(8000); i > 0 && !reconnects.isDone(); i--) {
                        SentRecords.send(producer, 0, "record " + sent.size());
                        sent.add("record " + sent.size());
                    }
                    long goal = consumed.get() + random.nextInt(300);
                    await().atMost(60, TimeUnit.SECONDS)
                            .until(() -> reconnects.isDone() || consumed.get() >= Math.min(goal, sent.size() - 500));
                    broker.kill();
                    broker = BrokerProcess.start(directory, broker.port(), settings);
                }
                producer.flush();
                expected.set(sent.size());
            }
            assertThat(reconnects.get(120, TimeUnit.SECONDS)).isPositive();
            assertThat(consumed).hasValue(sent.size());
        } finally {
            expected.set(0);
            broker.close();
        }
    }

    /** Reads all records, and returns the number of times that the consumer has reconnected. */
    private static long consume(
            RocketBufs rocketBufs, BrokerProcess broker, Path directory, AtomicLong consumed, AtomicLong expected) {
        try (LogConsumer consumer = LogConsumer.open(
                rocketBufs,
                broker.settings(directory, "rocketlog.consumer.retry-delay = 20 ms"),
                "orders",
                ConsumerOptions.DEFAULTS)) {
            int problems = 0;
            // A consumer that has read everything before the last kill still has to reconnect after that kill.
            while (consumed.get() < expected.get() || expected.get() > 0 && consumer.connectionProblem() != null) {
                problems += consumer.connectionProblem() == null ? 0 : 1;
                consumer.poll(10, (partition, offset, timestamp, key, value) -> {
                    assertThat(offset).isEqualTo(consumed.get());
                    assertThat(StandardCharsets.US_ASCII.decode(value).toString())
                            .isEqualTo("record " + offset);
                    consumed.incrementAndGet();
                    return true;
                });
            }
            assertThat(problems).isPositive();
            return consumer.reconnectCount();
        }
    }

    @Test
    void shouldContinueWhenABrokerThatDidNotRespondResponds() throws Exception {
        Path directory = folder.resolve("data");
        try (BrokerProcess broker = BrokerProcess.start(directory, 0, SETTINGS);
                RocketBufs patient = RocketBufs.open(RunningLogBroker.config(directory));
                RocketBufs hasty = RocketBufs.open(RunningLogBroker.config(
                        directory, "rocketbufs { heartbeat-interval = 100 ms, heartbeat-timeout = 1 s }"))) {
            broker.createTopic(patient, directory, "orders", 1);
            LogClientSettings settings = broker.settings(
                    directory, "rocketlog { client.connect-timeout = 500 ms, consumer.retry-delay = 20 ms }");
            try (LogConsumer consumer = opened(hasty, settings);
                    LogProducer producer =
                            LogProducer.open(patient, broker.settings(directory), "orders", ProducerCallback.NONE)) {
                broker.signal("STOP");
                try {
                    while (!(consumer.connectionProblem() instanceof LogClientException)) {
                        assertThat(consumer.poll(10, (partition, offset, timestamp, key, value) -> true))
                                .isZero();
                    }
                    assertThat(consumer.connectionProblem()).hasMessageContaining("did not respond within 500 ms");
                } finally {
                    broker.signal("CONT");
                }
                SentRecords.send(producer, 0, "first");
                while (consumer.nextOffset(0) == 0 || consumer.connectionProblem() != null) {
                    consumer.poll(100, (partition, offset, timestamp, key, value) -> true);
                }
            }
        }
    }

    /** Opens a consumer. Retries, because the time limit may be too short on a busy machine. */
    private static LogConsumer opened(RocketBufs rocketBufs, LogClientSettings settings) {
        return await().ignoreExceptions()
                .until(
                        () -> LogConsumer.open(rocketBufs, settings, "orders", ConsumerOptions.DEFAULTS),
                        consumer -> true);
    }

    /** The disk has a capacity of 4 MiB. Retention keeps most of it free unless consumers hold deleted segments. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldHaveSpaceForRecordsAlthoughConsumersHoldDeletedSegments(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        int exit = new ProcessBuilder("unshare", "-m", "true").start().waitFor();
        assumeTrue(exit == 0, "this user may not mount in a namespace");
        Path directory = Files.createDirectory(folder.resolve("small"));
        List<String> prefix = List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=4m tmpfs \"$0\" && mkdir \"$0/data\" && exec \"$@\"",
                directory.toString());
        List<String> settings = new ArrayList<>(List.of(SETTINGS));
        settings.addAll(List.of(
                "rocketbufs.transport=" + transport,
                "rocketbufs.rdma.provider=tcp",
                "rocketlog.retention.length=256 KiB",
                "rocketlog.flush-interval=20 ms",
                "rocketlog.consume.deleted-segment-timeout=200 ms"));
        AtomicLong acknowledged = new AtomicLong();
        AtomicBoolean hasFailed = new AtomicBoolean();
        List<LogConsumer> sleeping = new ArrayList<>();
        try (BrokerProcess broker =
                        BrokerProcess.start(prefix, directory.resolve("data"), 0, settings.toArray(String[]::new));
                RocketBufs rocketBufs =
                        RocketBufs.open(RunningLogBroker.config(directory, "rocketbufs.transport=" + transport))) {
            broker.createTopic(rocketBufs, directory, "orders", 1);
            ProducerCallback callback = new ProducerCallback() {
                @Override
                public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                    acknowledged.addAndGet(count);
                }

                @Override
                public void onFailed(LogClientException cause) {
                    hasFailed.set(true);
                }
            };
            try (LogProducer producer = LogProducer.open(
                    rocketBufs,
                    broker.settings(directory, "rocketlog.producer { batch = 8 KiB, memory = 64 KiB, timeout = 60 s }"),
                    "orders",
                    callback)) {
                String text = "v".repeat(1000);
                for (int i = 0; i < RECORDS && !hasFailed.get(); i++) {
                    SentRecords.send(producer, 0, text);
                    if (i % 500 == 0) { // each consumer holds another 0.5 MiB
                        sleeping.add(LogConsumer.open(
                                rocketBufs, broker.settings(directory), "orders", ConsumerOptions.DEFAULTS));
                    }
                }
                producer.flush();
                assertThat(producer.failure()).isNull();
            }
            assertThat(acknowledged).hasValue(RECORDS);
            sleeping.forEach(LogConsumer::close);
        }
    }
}

package io.rocketbufs.rocketlog.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.json.Json;
import io.rocketbufs.process.LastingPort;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.settings.SettingsException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of producers that write batches directly into the log. */
@Timeout(600)
final class ExclusiveProducerTest {
    private static final String EXCLUSIVE = "rocketlog { segment-length = 64 KiB, batch.longest = 16 KiB,"
            + " produce.direct { topics = [orders], revoke-timeout = 30 s },"
            + " producer { mode = exclusive, batch = 1 KiB, memory = 1 MiB, lease-delay = 10 ms } }";

    @TempDir
    Path folder;

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static List<String> texts(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static LogProducer open(RunningLogBroker running) {
        return LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE);
    }

    private static long status(RunningLogBroker running, String field) {
        Config status = Json.parse(running.status());
        return status.getLong(field);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp, tcp, interval",
        "tcp, tcp, always",
        "shm, tcp, interval",
        "rdma, tcp, interval",
        "rdma, tcp, always",
        "rdma, sockets, none"
    })
    void shouldWriteEveryRecordOnceAndInOrderThroughShortSegments(String transport, String provider, String flush)
            throws Exception {
        RunningLogBroker.assume(transport, folder);
        int count = 20_000;
        try (RunningLogBroker running = new RunningLogBroker(
                folder,
                EXCLUSIVE,
                "rocketbufs { transport = " + transport + ", rdma.provider = " + provider + " }",
                "rocketlog.flush = " + flush)) {
            running.withTopic("orders", 2);
            try (LogConsumer consumer = LogConsumer.open(
                            running.clients(),
                            running.settings(),
                            "orders",
                            ConsumerOptions.DEFAULTS.withPartition(1, ConsumerStart.EARLIEST));
                    LogProducer producer = open(running)) {
                List<CompletableFuture<Long>> offsets = new ArrayList<>();
                Thread sending = new Thread(() ->
                        texts("record ", count).forEach(text -> offsets.add(producer.append(1, null, bytes(text)))));
                sending.start();
                List<String> consumed = new ArrayList<>();
                while (consumed.size() < count && producer.failure() == null) {
                    consumer.poll(
                            1000,
                            (partition, offset, timestamp, key, value) ->
                                    consumed.add(UTF_8.decode(value).toString()));
                }
                sending.join();
                producer.flush();
                assertThat(consumed).isEqualTo(texts("record ", count));
                for (int i = 0; i < count; i++) {
                    assertThat(offsets.get(i)).isCompletedWithValue((long) i);
                }
                assertThat(producer.reconnectCount()).isZero();
                assertThat(status(running, "writtenBatches"))
                        .isEqualTo(status(running, "appendedBatches"))
                        .isEqualTo(producer.directBatchCount())
                        .isEqualTo(producer.batchCount())
                        .isPositive();
                assertThat(status(running, "startedLeases")).isGreaterThan(2);
                assertThat(status(running, "changedLeases")).isZero();
            }
        }
        assertThat(LoggedRecords.values(folder, "orders-1")).isEqualTo(texts("record ", count));
    }

    @ParameterizedTest
    @CsvSource({"tcp, exclusive", "shm, exclusive", "rdma, exclusive", "tcp, private", "rdma, private"})
    void shouldShareAPartitionWithAnotherProducer(String transport, String otherMode) throws Exception {
        RunningLogBroker.assume(transport, folder);
        int count = 5000;
        try (RunningLogBroker running =
                new RunningLogBroker(folder, EXCLUSIVE, "rocketbufs.transport = " + transport)) {
            running.withTopic("orders", 1);
            LogClientSettings settings = running.settings();
            LogClientSettings others = settings.withProducer(settings.producer()
                    .withMode(LogClientSettings.ProduceMode.valueOf(otherMode.toUpperCase(Locale.ROOT))));
            try (LogProducer one = open(running);
                    LogProducer other = LogProducer.open(running.clients(), others, "orders", ProducerCallback.NONE)) {
                Thread sending = new Thread(() -> texts("b", count).forEach(text -> SentRecords.send(other, 0, text)));
                sending.start();
                texts("a", count).forEach(text -> SentRecords.send(one, 0, text));
                sending.join();
                one.flush();
                other.flush();
                assertThat(one.reconnectCount() + other.reconnectCount()).isZero();
            }
            assertThat(status(running, "changedLeases")).isZero();
        }
        List<String> values = LoggedRecords.values(folder, "orders-0");
        assertThat(values.stream().filter(value -> value.startsWith("a"))).isEqualTo(texts("a", count));
        assertThat(values.stream().filter(value -> value.startsWith("b"))).isEqualTo(texts("b", count));
        assertThat(values).hasSize(2 * count);
    }

    @Test
    void shouldWriteIntoTheLogAgainSomeTimeAfterAnotherProducerHasAppended() {
        try (RunningLogBroker running = new RunningLogBroker(folder, EXCLUSIVE).withTopic("orders", 1);
                LogProducer one = open(running)) {
            SentRecords.send(one, 0, "a");
            one.flush();
            assertThat(status(running, "leases")).isEqualTo(1);
            LogClientSettings settings = running.settings();
            LogClientSettings others =
                    settings.withProducer(settings.producer().withMode(LogClientSettings.ProduceMode.PRIVATE));
            try (LogProducer other = LogProducer.open(running.clients(), others, "orders", ProducerCallback.NONE)) {
                SentRecords.send(other, 0, "b");
                other.flush();
            }
            assertThat(status(running, "leases")).isZero();
            await().untilAsserted(() -> {
                SentRecords.send(one, 0, "c");
                one.flush();
                assertThat(status(running, "leases")).isEqualTo(1);
            });
            assertThat(one.reconnectCount()).isZero();
        }
    }

    @Test
    void shouldNotClearBatchesThatAreStillBeingSentWhenAnInterruptedThreadClosesTheProducer() {
        String text = "a".repeat(200_000);
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        CompletableFuture<Void> mayRead = new CompletableFuture<>();
        try (RunningLogBroker running = new RunningLogBroker(
                                folder,
                                "rocketbufs { transport = tcp, tcp.num-threads = 1 }",
                                "rocketlog { segment-length = 64 MiB, produce.direct.topics = [orders],"
                                        + " producer.mode = exclusive }")
                        .withTopic("orders", 1);
                Listener listener = new Listener(running.brokers(), new InetSocketAddress("127.0.0.1", 0))) {
            listener.setConnectionCallback(accepted::complete);
            running.clients().connect(listener.address(), ConnectOptions.as(Role.PEER, connection -> {}));
            Connection blocked = accepted.join();
            LogProducer producer = open(running);
            SentRecords.send(producer, 0, text);
            producer.flush();
            blocked.execute(mayRead::join);
            try {
                for (int i = 0; i < 100; i++) { // more than the sockets can hold
                    assertThat(producer.send(0, null, bytes(text))).isNotNegative();
                }
                Thread.currentThread().interrupt();
                producer.close();
                assertThat(Thread.interrupted()).isTrue();
            } finally {
                mayRead.complete(null);
            }
            await().untilAsserted(() -> assertThat(status(running, "clients")).isZero());
            assertThat(status(running, "writtenBatches")).isGreaterThan(1);
            assertThat(status(running, "refusedBatches")).isZero();
        }
        assertThat(LoggedRecords.values(folder, "orders-0")).containsOnly(text);
    }

    @Test
    void shouldFailWithTheRemedyWithoutThePermission() {
        try (RunningLogBroker running =
                        new RunningLogBroker(folder, "rocketlog.producer.mode = exclusive").withTopic("orders", 1);
                LogProducer producer = open(running)) {
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> {
                        SentRecords.send(producer, 0, "a");
                        producer.flush();
                    })
                    .withMessageContaining("rocketlog.produce.direct.topics")
                    .withMessageContaining("mode private");
        }
        assertThat(LoggedRecords.values(folder, "orders-0")).isEmpty();
    }

    @Test
    void shouldRefuseTheModeWithoutAcknowledgements() {
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> LogClientSettings.from(
                        RunningLogBroker.config(folder, "rocketlog.producer { mode = exclusive, acks = none }")))
                .withMessageContaining("rocketlog.producer.mode")
                .withMessageContaining("acks leader");
    }

    @Test
    void shouldUseTheRingForRecordsWhenTheLogCannotBeLent() {
        try (RunningLogBroker running = new RunningLogBroker(
                        folder, EXCLUSIVE, "rocketlog.limits.segments-per-connection = 1")
                .withTopic("orders", 3)) {
            try (LogProducer producer = open(running)) {
                for (int i = 0; i < 3; i++) {
                    SentRecords.send(producer, i, "record 0");
                }
                producer.flush();
                assertThat(status(running, "leases")).isEqualTo(1);
                assertThat(status(running, "appendedBatches")).isEqualTo(3);
            }
        }
    }

    @Test
    void shouldFailIfAnotherTopicHasTheNameAfterReconnecting() {
        Path other = folder.resolve("other");
        try (RunningLogBroker running = new RunningLogBroker(other, EXCLUSIVE)) {
            running.withTopic("orders", 1);
        }
        String lastingPort = "rocketlog.port = " + LastingPort.find();
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(folder));
                RunningLogBroker former =
                        new RunningLogBroker(folder.resolve("former"), EXCLUSIVE, lastingPort).withTopic("orders", 2);
                LogProducer producer =
                        LogProducer.open(rocketBufs, former.settings(), "orders", ProducerCallback.NONE)) {
            former.broker().close();
            CompletableFuture<Long> offset = producer.append(1, null, bytes("a"));
            try (RunningLogBroker next = new RunningLogBroker(other, EXCLUSIVE, lastingPort)) {
                assertThat(offset)
                        .failsWithin(60, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .withMessageContaining(
                                "topic orders was deleted; another topic with this name was created since");
                assertThat(next.broker().isReady()).isTrue();
            }
        }
    }
}

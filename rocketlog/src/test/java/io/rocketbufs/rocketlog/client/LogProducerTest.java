package io.rocketbufs.rocketlog.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.Role;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@Timeout(600)
final class LogProducerTest {
    @TempDir
    Path folder;

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    private static List<String> texts(int count) {
        return IntStream.range(0, count).mapToObj(i -> "record " + i).toList();
    }

    @ParameterizedTest
    @CsvSource({"tcp, interval", "tcp, always", "shm, interval", "rdma, always", "rdma, none"})
    void shouldAppendEveryRecordOnceAndInOrderOverEveryTransport(String transport, String flush) {
        RunningLogBroker.assume(transport, folder);
        List<Long> offsets = Collections.synchronizedList(new ArrayList<>());
        Set<Long> differences = ConcurrentHashMap.newKeySet();
        try (RunningLogBroker running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = " + transport,
                "rocketlog { flush = " + flush + ", segment-length = 256 KiB, batch.longest = 64 KiB,"
                        + " producer { batch = 4 KiB, memory = 64 KiB } }")) {
            running.withTopic("orders", 2);
            ProducerCallback callback = new ProducerCallback() {
                @Override
                public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                    differences.add(firstOffset - firstNumber);
                    offsets.add(firstOffset + count);
                }
            };
            try (LogProducer producer = LogProducer.open(running.clients(), running.settings(), "orders", callback)) {
                assertThat(producer.partitions()).isEqualTo(2);
                for (String text : texts(20_000)) {
                    SentRecords.send(producer, 1, text);
                }
                producer.flush();
                assertThat(producer.unacknowledgedCount()).isZero();
                assertThat(producer.reconnectCount()).isZero();
            }
        }
        assertThat(differences).containsExactly(0L);
        assertThat(offsets).isSorted().last().isEqualTo(20_000L);
        assertThat(LoggedRecords.values(folder, "orders-1")).isEqualTo(texts(20_000));
        assertThat(LoggedRecords.values(folder, "orders-0")).isEmpty();
    }

    @Test
    void shouldCompleteFuturesWithOffsets() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            List<CompletableFuture<Long>> futures = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                futures.add(producer.append(0, bytes("key"), bytes("value " + i)));
            }
            for (int i = 0; i < 1000; i++) {
                assertThat(futures.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i);
            }
        }
    }

    @Test
    void shouldRefuseRecordsWhileTheMemoryIsFull() {
        try (RunningLogBroker running = new RunningLogBroker(
                                folder, "rocketlog.producer { batch = 1 KiB, memory = 2 KiB }")
                        .withTopic("orders", 1);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            long sent = 0;
            long refused = 0;
            while (refused == 0 || sent < 100) {
                long result = producer.send(0, null, ByteBuffer.allocate(700));
                if (result == LogProducer.NO_SPACE) {
                    refused++;
                    producer.awaitSpace();
                } else {
                    assertThat(result).isEqualTo(sent++);
                }
            }
            producer.flush();
            assertThat(producer.unacknowledgedCount()).isZero();
        }
    }

    @Test
    void shouldSendBatchesThatHaveLingeredLongEnough() throws Exception {
        try (RunningLogBroker running =
                        new RunningLogBroker(folder, "rocketlog.producer.linger = 300 ms").withTopic("orders", 2);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            for (int round = 0; round < 2; round++) {
                List<CompletableFuture<Long>> futures = new ArrayList<>();
                long beganNs = System.nanoTime();
                for (int i = 0; i < 10; i++) {
                    futures.add(producer.append(i % 2, null, bytes("record " + i)));
                }
                for (CompletableFuture<Long> future : futures) {
                    future.get(150, TimeUnit.SECONDS);
                }
                assertThat(System.nanoTime() - beganNs).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
            }
            assertThat(producer.batchCount()).isLessThan(20);
        }
        assertThat(LoggedRecords.values(folder, "orders-0")).hasSize(10);
        assertThat(LoggedRecords.values(folder, "orders-1")).hasSize(10);
    }

    @Test
    void shouldSendLingeringBatchesWhenTheProducerIsFlushedOrItsMemoryIsFull() {
        try (RunningLogBroker running = new RunningLogBroker(
                                folder,
                                "rocketlog.producer { linger = 1 h, timeout = 2 h, batch = 1 KiB, memory = 2 KiB }")
                        .withTopic("orders", 3);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            SentRecords.send(producer, 0, "first");
            SentRecords.send(producer, 0, "second");
            producer.flush();
            assertThat(producer.batchCount()).isOne();
            SentRecords.send(producer, 0, "third");
            SentRecords.send(producer, 0, "fourth");
            SentRecords.send(producer, 1, "fifth");
            SentRecords.send(producer, 2, "sixth"); // waits for memory
            producer.flush();
            assertThat(producer.batchCount()).isEqualTo(4);
        }
        assertThat(LoggedRecords.values(folder, "orders-0")).containsExactly("first", "second", "third", "fourth");
        assertThat(LoggedRecords.values(folder, "orders-1")).containsExactly("fifth");
        assertThat(LoggedRecords.values(folder, "orders-2")).containsExactly("sixth");
    }

    @Test
    void shouldNotLetRecordsLingerThatAreAddedDuringAFlush() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(
                                folder, "rocketlog.producer { linger = 1 h, timeout = 2 h }")
                        .withTopic("orders", 1);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            AtomicBoolean isFlushing = new AtomicBoolean(true);
            Thread adding = new Thread(() -> {
                while (isFlushing.get()) {
                    SentRecords.send(producer, 0, "record");
                }
            });
            adding.start();
            try {
                await().until(() -> producer.unacknowledgedCount() > 0);
                producer.flush();
            } finally {
                isFlushing.set(false);
            }
            adding.join();
            producer.flush();
            assertThat(producer.batchCount()).isGreaterThan(1);
        }
    }

    @Test
    void shouldAcceptARecordThatFillsTheLongestBatchAndRefuseALongerOne() throws Exception {
        try (RunningLogBroker running =
                        new RunningLogBroker(folder, "rocketlog.producer.memory = 512 KiB").withTopic("orders", 1);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            assertThat(producer.append(0, null, ByteBuffer.allocate((1 << 20) - 101))
                            .get(60, TimeUnit.SECONDS))
                    .isZero();
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> producer.send(0, null, ByteBuffer.allocate(1 << 20)))
                    .withMessageContaining("rocketlog.batch.longest");
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> producer.send(1, null, null))
                    .withMessageContaining("topic orders has no partition 1: partitions=1");
            assertThat(producer.append(0, null, bytes("next")).get(60, TimeUnit.SECONDS))
                    .isOne();
        }
    }

    @Test
    void shouldNotGatherMoreThanTheBrokersLongestBatch() {
        try (RunningLogBroker running =
                        new RunningLogBroker(folder, "rocketlog.batch.longest = 2 KiB").withTopic("orders", 1);
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            assertThat(running.settings().producer().batchLength()).isGreaterThan(2048);
            texts(2000).forEach(text -> SentRecords.send(producer, 0, text));
            producer.flush();
        }
        assertThat(LoggedRecords.values(folder, "orders-0")).isEqualTo(texts(2000));
    }

    @Test
    void shouldCountRecordsAsSentWithoutTheBrokerWhenAcksAreNone() {
        List<Long> offsets = Collections.synchronizedList(new ArrayList<>());
        try (RunningLogBroker running =
                new RunningLogBroker(folder, "rocketlog.producer.acks = none").withTopic("orders", 1)) {
            ProducerCallback callback = new ProducerCallback() {
                @Override
                public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                    offsets.add(firstOffset);
                }
            };
            assertThat(running.settings().producer().acks()).isEqualTo(Acks.NONE);
            try (LogProducer producer = LogProducer.open(running.clients(), running.settings(), "orders", callback)) {
                texts(10_000).forEach(text -> SentRecords.send(producer, 0, text));
            }
        }
        assertThat(offsets).isNotEmpty().containsOnly(-1L);
        assertThat(LoggedRecords.values(folder, "orders-0")).isEqualTo(texts(10_000));
    }

    @Test
    void shouldWakeAFlushWhenTheBrokerHasRespondedToBatchesThatAlreadyCountAsSent() throws Exception {
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        CompletableFuture<Void> mayRespond = new CompletableFuture<>();
        try (RunningLogBroker running = new RunningLogBroker(
                                folder,
                                "rocketbufs { transport = tcp, tcp.num-threads = 1 }",
                                "rocketlog.producer.acks = none")
                        .withTopic("orders", 1);
                Listener listener = new Listener(running.brokers(), new InetSocketAddress("127.0.0.1", 0));
                LogProducer producer =
                        LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            listener.setConnectionCallback(accepted::complete);
            running.clients().connect(listener.address(), ConnectOptions.as(Role.PEER, connection -> {}));
            accepted.join().execute(mayRespond::join);
            try {
                SentRecords.send(producer, 0, "record");
                assertThat(producer.unacknowledgedCount()).isZero();
                long beganNs = System.nanoTime();
                synchronized (producer) { // a flush waits in the same way, but checks its condition every second
                    mayRespond.complete(null);
                    producer.wait(60_000);
                }
                assertThat(System.nanoTime() - beganNs).isLessThan(TimeUnit.SECONDS.toNanos(60));
            } finally {
                mayRespond.complete(null);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "not/a name"})
    void shouldNameATopicThatDoesNotExist(String topic) {
        try (RunningLogBroker running = new RunningLogBroker(folder)) {
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(
                            () -> LogProducer.open(running.clients(), running.settings(), topic, ProducerCallback.NONE))
                    .withMessageContaining("topic " + topic + " does not exist; create it with")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.NO_SUCH_TOPIC));
        }
    }

    @Test
    void shouldFailWhenTheBrokerDoesNotAcknowledgeInTime() {
        List<LogClientException> failures = Collections.synchronizedList(new ArrayList<>());
        try (RunningLogBroker running =
                new RunningLogBroker(folder, "rocketlog.producer.timeout = 300 ms").withTopic("orders", 1)) {
            ProducerCallback callback = new ProducerCallback() {
                @Override
                public void onFailed(LogClientException cause) {
                    failures.add(cause);
                }
            };
            LogProducer producer =
                    running.opened(LogProducer.open(running.clients(), running.settings(), "orders", callback));
            running.broker().close();
            CompletableFuture<Long> offset = producer.append(0, null, bytes("lost"));
            await().until(offset::isDone);
            assertThat(offset).isCompletedExceptionally();
            assertThat(producer.failure())
                    .hasMessageContaining("topic orders, partition 0: no acknowledgement within"
                            + " rocketlog.producer.timeout=300 ms: ");
            assertThat(producer.send(0, null, bytes("later"))).isEqualTo(LogProducer.CLOSED);
            await().untilAsserted(() -> assertThat(failures).containsExactly(producer.failure()));
        }
    }

    @Test
    void shouldReportWhyItCannotReconnectWithoutMemoryForItsBuffer() {
        try (RunningLogBroker running = new RunningLogBroker(
                        folder, "rocketlog.producer { timeout = 300 ms, retry-delay = 1 ms }")
                .withTopic("orders", 1)) {
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            running.loseClients();
            assertThat(producer.append(0, null, bytes("lost")))
                    .failsWithin(60, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withMessageContaining(
                            "no acknowledgement within rocketlog.producer.timeout=300 ms: the pool is closed");
        }
    }

    @Test
    void shouldListAndCreateManyTopics() {
        try (RunningLogBroker running = new RunningLogBroker(folder, "rocketlog.limits.partitions = 105")) {
            try (TopicClient topics = TopicClient.connect(running.clients(), running.settings())) {
                List<TopicEntry> created = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    created.add(new TopicEntry("a".repeat(200) + (100 + i), 1, 0));
                    topics.create(created.get(i).name(), 1);
                }
                assertThat(topics.topics()).isEqualTo(created);
                topics.create(created.get(3).name(), 1);
                assertRefused(topics, created.get(3).name(), 3, "exists with partitions=1, not 3");
                assertRefused(topics, "more", 6, "rocketlog.limits.partitions=105");
                assertRefused(topics, "../up", 1, "is not a valid topic name");
                assertRefused(topics, "none", 0, "partitions=0 must be at least 1");
                topics.create("more", 5);
            }
        }
        try (RunningLogBroker running = new RunningLogBroker(folder);
                TopicClient topics = TopicClient.connect(running.clients(), running.settings())) {
            assertThat(topics.topics()).hasSize(101).last().isEqualTo(new TopicEntry("more", 5, 0));
        }
    }

    private static void assertRefused(TopicClient topics, String topic, int partitions, String reason) {
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.create(topic, partitions))
                .withMessageContaining(reason);
    }
}

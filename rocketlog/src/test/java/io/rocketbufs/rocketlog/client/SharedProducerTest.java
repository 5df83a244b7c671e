package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of producers that write batches into the same segment concurrently. */
@Timeout(600)
final class SharedProducerTest {
    private static final String SHARED = "rocketlog { segment-length = 64 KiB, batch.longest = 16 KiB,"
            + " produce.direct { topics = [orders], revoke-timeout = 60 s, order-timeout = 60 s },"
            + " producer { mode = shared, batch = 4 KiB, memory = 64 KiB, lease-delay = 10 ms } }";

    @TempDir
    Path folder;

    private static List<String> texts(int producer, int count) {
        return IntStream.range(0, count).mapToObj(i -> producer + " " + i).toList();
    }

    private static LogProducer open(RunningLogBroker running, ProduceMode mode) {
        LogClientSettings settings = running.settings();
        return LogProducer.open(
                running.clients(),
                settings.withProducer(settings.producer().withMode(mode)),
                "orders",
                ProducerCallback.NONE);
    }

    private static long status(RunningLogBroker running, String field) {
        Config status = Json.parse(running.status());
        return status.getLong(field);
    }

    /** Sends records with all producers concurrently, and closes the producers. */
    private static void sendAll(List<LogProducer> producers, int count) throws InterruptedException {
        for (Thread each : startSending(producers, count)) {
            each.join();
        }
        for (LogProducer each : producers) {
            each.flush();
            assertThat(each.reconnectCount()).isZero();
            each.close();
        }
    }

    private static List<Thread> startSending(List<LogProducer> producers, int count) {
        List<Thread> sending = new ArrayList<>();
        for (int i = 0; i < producers.size(); i++) {
            LogProducer producer = producers.get(i);
            List<String> texts = texts(i, count);
            sending.add(new Thread(() -> texts.forEach(text -> SentRecords.send(producer, 0, text))));
        }
        sending.forEach(Thread::start);
        return sending;
    }

    private void assertLogged(int producers, int count) {
        assertLogged(Collections.nCopies(producers, count));
    }

    private void assertLogged(List<Integer> counts) {
        List<String> values = LoggedRecords.values(folder, "orders-0");
        for (int i = 0; i < counts.size(); i++) {
            String prefix = i + " ";
            assertThat(values.stream().filter(value -> value.startsWith(prefix)))
                    .isEqualTo(texts(i, counts.get(i)));
        }
        assertThat(values).hasSize(counts.stream().mapToInt(Integer::intValue).sum());
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
    void shouldWriteTheRecordsOfEachProducerOnceAndInOrderThroughShortSegments(
            String transport, String provider, String flush) throws Exception {
        RunningLogBroker.assume(transport, folder);
        int count = 5000;
        try (RunningLogBroker running = new RunningLogBroker(
                folder,
                SHARED,
                "rocketbufs { transport = " + transport + ", rdma.provider = " + provider + " }",
                "rocketlog.flush = " + flush)) {
            running.withTopic("orders", 1);
            List<LogProducer> producers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                producers.add(open(running, ProduceMode.SHARED));
            }
            sendAll(producers, count);
            assertThat(status(running, "writtenBatches"))
                    .isEqualTo(status(running, "appendedBatches"))
                    .isPositive();
            assertThat(status(running, "startedLeases")).isGreaterThan(2);
            assertThat(status(running, "brokenLeases")).isZero();
            assertThat(status(running, "changedLeases")).isZero();
            assertThat(status(running, "duplicateBatches")).isZero();
        }
        assertLogged(4, count);
    }

    @ParameterizedTest
    @CsvSource({"tcp, PRIVATE", "shm, PRIVATE", "rdma, PRIVATE", "tcp, EXCLUSIVE", "rdma, EXCLUSIVE"})
    void shouldShareAPartitionWithProducersInOtherModes(String transport, ProduceMode other) throws Exception {
        RunningLogBroker.assume(transport, folder);
        int count = 5000;
        try (RunningLogBroker running = new RunningLogBroker(folder, SHARED, "rocketbufs.transport = " + transport)) {
            running.withTopic("orders", 1);
            sendAll(
                    List.of(
                            open(running, ProduceMode.SHARED),
                            open(running, other),
                            open(running, ProduceMode.SHARED),
                            open(running, other)),
                    count);
            assertThat(status(running, "brokenLeases")).isZero();
            assertThat(status(running, "changedLeases")).isZero();
        }
        assertLogged(4, count);
    }

    @Test
    void shouldShareAPartitionOverDifferentTransports() throws Exception {
        List<String> transports = List.of("tcp", "shm", "rdma");
        for (String each : transports) {
            RunningLogBroker.assume(each, folder);
        }
        int count = 3000;
        try (RunningLogBroker running = new RunningLogBroker(
                folder,
                SHARED,
                "rocketlog.listeners = [{transport = tcp, port = 0}, {transport = shm, port = 0},"
                        + " {transport = rdma, port = 0}]")) {
            running.withTopic("orders", 1);
            List<LogProducer> producers = new ArrayList<>();
            for (int i = 0; i < transports.size(); i++) {
                RocketBufs rocketBufs = running.opened(RocketBufs.open(
                        RunningLogBroker.config(folder, "rocketbufs.transport = " + transports.get(i))));
                LogClientSettings settings = running.settings()
                        .withBroker(running.broker().addresses().get(i));
                producers.add(LogProducer.open(rocketBufs, settings, "orders", ProducerCallback.NONE));
            }
            sendAll(producers, count);
            assertThat(status(running, "writtenBatches"))
                    .isEqualTo(status(running, "appendedBatches"))
                    .isPositive();
            assertThat(status(running, "brokenLeases")).isZero();
        }
        assertLogged(3, count);
    }

    @Test
    void shouldLetProducersBeyondTheLimitUseTheirRings() {
        int count = 130;
        try (RunningLogBroker running = new RunningLogBroker(folder, SHARED).withTopic("orders", 1)) {
            for (int i = 0; i < count; i++) {
                LogProducer producer = running.opened(open(running, ProduceMode.SHARED));
                SentRecords.send(producer, 0, i + " 0");
                producer.flush();
            }
            assertThat(status(running, "writtenBatches")).isEqualTo(128);
            assertThat(status(running, "appendedBatches")).isEqualTo(count);
            assertThat(status(running, "startedLeases")).isEqualTo(1);
        }
        assertLogged(count, 1);
    }

    /**
     * Each loss of the connections ends a lease that a producer has used, so that batches are left in all possible
     * states.
     */
    @Test
    void shouldAppendEveryRecordOnceWhenConnectionsAreLost() throws Exception {
        int losses = 5;
        AtomicBoolean isEnough = new AtomicBoolean();
        List<AtomicInteger> counts = new ArrayList<>();
        try (RunningLogBroker running = new RunningLogBroker(
                folder, SHARED, "rocketlog { produce.direct.order-timeout = 50 ms, producer.retry-delay = 5 ms }")) {
            running.withTopic("orders", 1);
            LossyLink link = running.opened(new LossyLink(running.address()));
            List<LogProducer> producers = new ArrayList<>();
            List<Thread> sending = new ArrayList<>();
            for (ProduceMode mode : List.of(ProduceMode.SHARED, ProduceMode.SHARED, ProduceMode.PRIVATE)) {
                LogClientSettings settings = running.settings().withBroker(link.address());
                settings = settings.withProducer(settings.producer().withMode(mode));
                LogProducer producer = LogProducer.open(running.clients(), settings, "orders", ProducerCallback.NONE);
                AtomicInteger count = new AtomicInteger();
                String prefix = producers.size() + " ";
                sending.add(new Thread(() -> sendUntil(isEnough, producer, prefix, count)));
                producers.add(producer);
                counts.add(count);
            }
            sending.forEach(Thread::start);
            long leases = 0;
            for (int i = 0; i < losses; i++) {
                awaitMore(running, "startedLeases", leases);
                awaitMore(running, "writtenBatches", status(running, "writtenBatches"));
                leases = status(running, "startedLeases");
                link.cut();
            }
            isEnough.set(true);
            for (Thread each : sending) {
                each.join();
            }
            for (LogProducer each : producers) {
                each.flush();
                assertThat(each.failure()).isNull();
                assertThat(each.reconnectCount()).isPositive();
                each.close();
            }
            assertThat(status(running, "startedLeases")).isGreaterThanOrEqualTo(losses);
            assertThat(status(running, "writtenBatches")).isGreaterThanOrEqualTo(losses);
            assertThat(status(running, "changedLeases")).isZero();
        }
        assertLogged(counts.stream().map(AtomicInteger::get).toList());
    }

    private static void awaitMore(RunningLogBroker running, String field, long than) {
        await().until(() -> status(running, field) > than);
    }

    /** Sends records in small groups, because the duration of the test depends on the number of records. */
    private static void sendUntil(AtomicBoolean isEnough, LogProducer producer, String prefix, AtomicInteger count) {
        while (!isEnough.get()) {
            for (int i = 0; i < 10; i++) {
                SentRecords.send(producer, 0, prefix + count.getAndIncrement());
            }
            producer.flush();
        }
    }

    @Test
    void shouldCopyTheBatchesOfOthersWithoutEndingTheLease() {
        try (RunningLogBroker running = new RunningLogBroker(folder, SHARED).withTopic("orders", 1);
                LogProducer one = open(running, ProduceMode.SHARED);
                LogProducer other = open(running, ProduceMode.PRIVATE)) {
            for (int i = 0; i < 10; i++) {
                SentRecords.send(one, 0, "0 " + i);
                one.flush();
                SentRecords.send(other, 0, "1 " + i);
                other.flush();
            }
            assertThat(status(running, "startedLeases")).isEqualTo(1);
            assertThat(status(running, "leases")).isEqualTo(1);
            assertThat(status(running, "writtenBatches")).isEqualTo(10);
            assertThat(status(running, "appendedBatches")).isEqualTo(20);
        }
        assertLogged(2, 10);
    }
}

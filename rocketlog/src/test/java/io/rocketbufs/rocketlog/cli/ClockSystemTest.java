package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.json.Json;
import io.rocketbufs.process.ShiftedClock;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that change the clock of the broker's machine by hours while clients with correct clocks are connected. */
@Tag("once")
@Timeout(600)
final class ClockSystemTest {
    private static final Duration FORWARD = Duration.ofHours(36);
    private static final Duration BACK = Duration.ofHours(-36);
    private static final String PATIENT = "rocketbufs.heartbeat-timeout = 10 m";
    /** A time that is long enough for several rounds of maintenance and several heartbeat checks. */
    private static final long ROUNDS_MS = 3000;

    @TempDir
    Path folder;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private Path directory;
    private ShiftedClock clock;
    private BrokerProcess broker;
    private RocketBufs rocketBufs;
    private TopicClient topics;

    private void start(String... settings) throws IOException {
        directory = folder.resolve("data");
        clock = new ShiftedClock(folder.resolve("clock"));
        List<String> all = new ArrayList<>(List.of(
                "rocketlog.segment-length=64 KiB",
                "rocketlog.batch.longest=32 KiB",
                "rocketlog.flush-interval=50 ms",
                "rocketlog.produce.direct.topics=[orders]",
                "rocketlog.produce.direct.revoke-timeout=500 ms"));
        all.addAll(List.of(settings));
        List<String> prefix = new ArrayList<>(List.of("env"));
        clock.environment().forEach((name, value) -> prefix.add(name + "=" + value));
        broker = opened(BrokerProcess.start(prefix, directory, 0, all.toArray(String[]::new)));
        rocketBufs = opened(RocketBufs.open(RunningLogBroker.config(directory, PATIENT)));
        broker.createTopic(rocketBufs, directory, "orders", 4);
        topics = opened(TopicClient.connect(rocketBufs, broker.settings(directory)));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private LogProducer producer(RocketBufs own, String mode, ProducerCallback callback) {
        return opened(LogProducer.open(
                own,
                broker.settings(
                        directory, "rocketlog.producer { mode = " + mode + ", lease-delay = 1 h, batch = 32 KiB }"),
                "orders",
                callback));
    }

    private LogProducer producer(String mode) {
        return producer(rocketBufs, mode, ProducerCallback.NONE);
    }

    private LogConsumer consumer(int partition) {
        return opened(LogConsumer.open(
                rocketBufs,
                broker.settings(directory),
                "orders",
                ConsumerOptions.DEFAULTS.withPartition(partition, ConsumerStart.EARLIEST)));
    }

    private static long append(LogProducer producer, int partition, int length) throws Exception {
        return producer.append(
                        partition, null, ByteBuffer.wrap("x".repeat(length).getBytes(UTF_8)))
                .get(150, TimeUnit.SECONDS);
    }

    private Config status() throws IOException {
        return Json.parse(broker.status());
    }

    private void awaitRounds() throws IOException {
        long before = status().getLong("uptimeMs");
        await().until(() -> status().getLong("uptimeMs") - before >= ROUNDS_MS);
    }

    /** Opens a producer with or without a lease. Its connection stops responding after the first acknowledgement. */
    private void stoppedProducer(String mode, int partition, CountDownLatch ended) {
        RocketBufs own = opened(RocketBufs.open(RunningLogBroker.config(directory, PATIENT)));
        CountDownLatch stopped = new CountDownLatch(1);
        LogProducer producer = producer(own, mode, new ProducerCallback() {
            @Override
            public void onAcknowledged(int acknowledged, long firstNumber, int count, long firstOffset) {
                if (Thread.currentThread().getName().contains("worker")) { // the test's own thread must not block
                    stopped.countDown();
                    awaitQuietly(ended);
                }
            }
        });
        opened.push(ended::countDown); // runs before the producer is closed
        await().until(() -> {
            producer.send(partition, null, ByteBuffer.allocate(1));
            return stopped.getCount() == 0;
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldKeepConnectionsLeasesAndWaitsAndTheirTimeoutsWhenTheClockIsChanged() throws Exception {
        start("rocketbufs.heartbeat-timeout=20 s", "rocketlog.produce.longest-lead=1000 d");
        LogProducer exclusive = producer("exclusive");
        assertThat(append(exclusive, 1, 1)).isZero();
        LogProducer ring = producer("private");
        LogConsumer consumer = consumer(0);
        CountDownLatch ended = new CountDownLatch(1);
        try {
            long clients = status().getLong("clients");
            stoppedProducer("private", 3, ended);
            stoppedProducer("exclusive", 2, ended);
            for (int i = 0; i < 4; i++) {
                CompletableFuture<Integer> next = CompletableFuture.supplyAsync(
                        () -> consumer.poll(150_000, (partition, offset, timestamp, key, value) -> true));
                await().until(() -> status().getLong("waitingSegments") == 1);
                clock.set(i % 2 == 0 ? FORWARD : BACK);
                assertThat(append(ring, 0, 1)).isEqualTo(i);
                assertThat(next.get(150, TimeUnit.SECONDS)).isEqualTo(1);
                assertThat(append(exclusive, 1, 1)).isEqualTo(i + 1);
                if (i == 0) {
                    awaitRounds(); // the clock is ahead: no timeout may expire too early
                }
            }
            // The clock is behind: timeouts must still expire.
            assertThat(append(ring, 2, 1)).isPositive();
            await().until(() -> status().getLong("clients") == clients);
            assertThat(status().getLong("startedLeases")).isEqualTo(2);
            assertThat(status().getLong("leases")).isEqualTo(1);
            assertThat(append(exclusive, 1, 1)).isEqualTo(5);
            assertThat(status().getLong("writtenBatches")).isGreaterThanOrEqualTo(7);
            assertThat(List.of(exclusive.reconnectCount(), ring.reconnectCount(), consumer.reconnectCount()))
                    .containsOnly(0L);
            assertThat(clock.readCount()).isPositive();
        } finally {
            ended.countDown();
        }
    }

    private TopicState.Partition state() {
        return topics.state("orders").partitions().get(0);
    }

    /** A Kafka broker deletes the same segments, and also the newest segment. */
    @Test
    void shouldDeleteOnlySegmentsThatTheClockMakesTooOldAndNeverTheNewest() throws Exception {
        start("rocketlog.retention.time=24 h", "rocketlog.produce.longest-lead=1000 d");
        LogProducer producer = producer("private");
        for (int i = 0; i < 10; i++) {
            assertThat(append(producer, 0, 20_000)).isEqualTo(i);
        }
        assertThat(state().segments()).isGreaterThanOrEqualTo(3);
        for (Duration shift : List.of(BACK, Duration.ofHours(23))) {
            clock.set(shift);
            awaitRounds();
            assertThat(state().firstOffset()).isZero();
        }
        clock.set(FORWARD);
        await().until(() -> state().segments() == 1);
        clock.set(Duration.ZERO);
        TopicState.Partition left = state();
        assertThat(left.firstOffset()).isBetween(1L, 9L);
        assertThat(left.nextOffset()).isEqualTo(10);
        assertThat(append(producer, 0, 1)).isEqualTo(10);
        assertThat(offsets(consumer(0), 10)).first().isEqualTo(left.firstOffset());
        awaitRounds();
        assertThat(state().firstOffset()).isEqualTo(left.firstOffset());
        assertThat(producer.reconnectCount()).isZero();
    }

    /** Reads up to the given offset, and returns all offsets, which must be consecutive. */
    private static List<Long> offsets(LogConsumer consumer, long last) {
        List<Long> offsets = new ArrayList<>();
        while (offsets.isEmpty() || offsets.get(offsets.size() - 1) < last) {
            consumer.poll(1000, (partition, offset, timestamp, key, value) -> offsets.add(offset));
        }
        assertThat(offsets.get(0) + offsets.size() - 1).isEqualTo(last);
        return offsets;
    }

    @Test
    void shouldRefuseRecordsWithTheReasonWhileTheClockIsTooFarBehindTheProducers() throws Exception {
        start();
        LogProducer producer = producer("private");
        assertThat(append(producer, 0, 1)).isZero();
        clock.set(Duration.ofMinutes(-50));
        assertThat(append(producer, 0, 1)).isEqualTo(1);
        clock.set(BACK);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> append(producer, 0, 1))
                .withMessageContaining("timestamp");
        clock.set(Duration.ZERO);
        assertThat(append(producer("private"), 0, 1)).isEqualTo(2);
    }
}

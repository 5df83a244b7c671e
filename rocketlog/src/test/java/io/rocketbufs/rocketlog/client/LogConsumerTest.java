package io.rocketbufs.rocketlog.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@Timeout(600)
final class LogConsumerTest {
    private static final String SMALL_SEGMENTS =
            "rocketlog { segment-length = 64 KiB, batch.longest = 32 KiB, producer { batch = 4 KiB, memory = 64 KiB }}";
    private static final ConsumerOptions FROM_START = ConsumerOptions.DEFAULTS;

    @TempDir
    Path folder;

    private static List<String> texts(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "record " + i).toList();
    }

    private static void produce(RunningLogBroker running, int partition, List<String> texts) {
        try (LogProducer producer =
                LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
            texts.forEach(text -> SentRecords.send(producer, partition, text));
            producer.flush();
        }
    }

    private static LogConsumer open(RunningLogBroker running, ConsumerOptions options) {
        return running.opened(LogConsumer.open(running.clients(), running.settings(), "orders", options));
    }

    /** A callback that collects the values of a partition, and checks that their offsets have no gaps. */
    private static final class Collected implements RecordCallback {
        final List<String> values = new ArrayList<>();
        final List<String> gaps = new ArrayList<>();
        private long next;

        Collected(long first) {
            next = first;
        }

        @Override
        public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
            assertThat(offset).isEqualTo(next++);
            assertThat(key).isNull();
            values.add(ISO_8859_1.decode(value).toString());
            return true;
        }

        @Override
        public void onGap(int partition, long firstOffset, long nextOffset) {
            assertThat(firstOffset).isEqualTo(next);
            next = nextOffset;
            gaps.add(firstOffset + "-" + nextOffset);
        }

        Collected poll(LogConsumer consumer, int count) {
            while (values.size() < count) {
                consumer.poll(1000, this);
            }
            return this;
        }
    }

    @ParameterizedTest
    @CsvSource({"tcp, interval", "tcp, always", "shm, interval", "shm, none", "rdma, always", "rdma, none"})
    void shouldReadEveryRecordOnceAndInOrderOverEveryTransport(String transport, String flush) throws Exception {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running = new RunningLogBroker(
                        folder, "rocketbufs.transport = " + transport, SMALL_SEGMENTS, "rocketlog.flush = " + flush)
                .withTopic("orders", 2)) {
            produce(running, 1, texts(0, 10_000));
            LogConsumer consumer = open(running, ConsumerOptions.DEFAULTS.withPartition(1, ConsumerStart.EARLIEST));
            Collected collected = new Collected(0).poll(consumer, 10_000);
            CompletableFuture<Void> producing =
                    CompletableFuture.runAsync(() -> produce(running, 1, texts(10_000, 20_000)));
            collected.poll(consumer, 20_000);
            producing.get(60, TimeUnit.SECONDS);
            assertThat(consumer.poll(0, collected)).isZero();
            assertThat(collected.values).isEqualTo(texts(0, 20_000));
            assertThat(consumer.partitions()).containsExactly(1);
            assertThat(consumer.nextOffset(1)).isEqualTo(20_000);
            assertThat(consumer.reconnectCount()).isZero();
            assertThat(consumer.skippedCount()).isZero();
        }
    }

    @Test
    void shouldReadAllPartitionsWithOneConsumer() {
        try (RunningLogBroker running = new RunningLogBroker(folder, SMALL_SEGMENTS).withTopic("orders", 20)) {
            LogConsumer consumer = open(running, FROM_START);
            assertThat(consumer.partitions())
                    .isEqualTo(IntStream.range(0, 20).boxed().toList());
            try (LogProducer producer =
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
                for (int i = 0; i < 20_000; i++) {
                    SentRecords.send(producer, i % 20, "record " + i);
                }
                producer.flush();
            }
            List<List<String>> values = new ArrayList<>();
            IntStream.range(0, 20).forEach(i -> values.add(new ArrayList<>()));
            int count = 0;
            while (count < 20_000) {
                count += consumer.poll(1000, (partition, offset, timestamp, key, value) -> {
                    assertThat(offset).isEqualTo(values.get(partition).size());
                    return values.get(partition).add(UTF_8.decode(value).toString());
                });
            }
            for (int i = 0; i < 20; i++) {
                int partition = i;
                assertThat(values.get(i))
                        .isEqualTo(IntStream.range(0, 1000)
                                .mapToObj(n -> "record " + (n * 20 + partition))
                                .toList());
            }
        }
    }

    @Test
    void shouldBeginWhereTheOptionsSay() {
        try (RunningLogBroker running = new RunningLogBroker(folder, SMALL_SEGMENTS).withTopic("orders", 1)) {
            produce(running, 0, texts(0, 5000));
            assertThat(new Collected(4321)
                            .poll(open(running, ConsumerOptions.from(ConsumerStart.at(4321))), 679)
                            .values)
                    .isEqualTo(texts(4321, 5000));
            LogConsumer atEnd = open(running, ConsumerOptions.from(ConsumerStart.at(5000)));
            LogConsumer latest = open(running, ConsumerOptions.from(ConsumerStart.LATEST));
            assertThat(latest.nextOffset(0)).isEqualTo(5000);
            assertThat(latest.endOffset(0)).isEqualTo(5000);
            assertThat(latest.poll(0, new Collected(0))).isZero();
            produce(running, 0, texts(5000, 5003));
            assertThat(latest.endOffset(0)).isEqualTo(5000);
            assertThat(new Collected(5000).poll(latest, 3).values).isEqualTo(texts(5000, 5003));
            assertThat(new Collected(5000).poll(atEnd, 3).values).isEqualTo(texts(5000, 5003));
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> open(running, ConsumerOptions.from(ConsumerStart.at(6000))))
                    .withMessageContaining("orders-0: offset=6000 is beyond the end of the log, which is 5003")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.NO_SUCH_OFFSET));
            assertThatIllegalArgumentException().isThrownBy(() -> ConsumerStart.at(-1));
        }
    }

    @Test
    void shouldBeginWithTheFirstRecordOfATime() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1)) {
            List<Long> timestamps = new ArrayList<>();
            long sent = 0;
            try (LogProducer producer =
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
                Instant begin = Instant.now();
                do {
                    SentRecords.send(producer, 0, "record");
                    sent++;
                } while (begin.plusMillis(50).isAfter(Instant.now()));
                producer.flush();
            }
            LogConsumer all = open(running, FROM_START);
            while (timestamps.size() < sent) {
                all.poll(1000, (partition, offset, timestamp, key, value) -> timestamps.add(timestamp));
            }
            long middle = timestamps.get(timestamps.size() / 2);
            LogConsumer late = open(running, ConsumerOptions.from(ConsumerStart.at(Instant.ofEpochMilli(middle))));
            long[] first = {-1};
            while (first[0] < 0) {
                late.poll(1000, (partition, offset, timestamp, key, value) -> {
                    first[0] = offset;
                    return false;
                });
            }
            assertThat(first[0]).isEqualTo(timestamps.indexOf(middle));
            LogConsumer future = open(
                    running, ConsumerOptions.from(ConsumerStart.at(Instant.now().plusSeconds(60))));
            assertThat(future.nextOffset(0)).isEqualTo(timestamps.size());
        }
    }

    @Test
    void shouldContinueWithTheRecordAfterTheOneThatEndedThePoll() {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1)) {
            produce(running, 0, texts(0, 100));
            LogConsumer consumer = open(running, FROM_START);
            List<String> values = new ArrayList<>();
            AtomicBoolean fails = new AtomicBoolean();
            RecordCallback one = (partition, offset, timestamp, key, value) -> {
                if (fails.getAndSet(!fails.get())) {
                    throw new IllegalStateException("thrown by the callback");
                }
                values.add(UTF_8.decode(value).toString());
                return false;
            };
            for (int i = 0; i < 100; i++) {
                assertThat(consumer.poll(1000, one)).isOne();
                assertThat(consumer.nextOffset(0)).isEqualTo(i + 1);
                if (i < 99) {
                    assertThatIllegalStateException().isThrownBy(() -> consumer.poll(1000, one));
                }
            }
            assertThat(values).isEqualTo(texts(0, 100));
        }
    }

    @Test
    void shouldReadBatchesThatAreLongerThanOneRead() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(
                        folder, "rocketlog { consumer.fetch = 1 KiB, producer.memory = 4 MiB }")
                .withTopic("orders", 1)) {
            try (LogProducer producer =
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE)) {
                for (int i = 0; i < 20; i++) {
                    producer.append(0, null, ByteBuffer.allocate(i * i * 2000)).get(60, TimeUnit.SECONDS);
                }
            }
            LogConsumer consumer = open(running, FROM_START);
            List<Integer> lengths = new ArrayList<>();
            while (lengths.size() < 20) {
                consumer.poll(1000, (partition, offset, timestamp, key, value) -> lengths.add(value.remaining()));
            }
            assertThat(lengths)
                    .isEqualTo(IntStream.range(0, 20)
                            .map(i -> i * i * 2000)
                            .boxed()
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "shm"})
    void shouldNotCallTheBrokerForRecordsOrPolls(String transport) {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running = new RunningLogBroker(
                        folder, "rocketbufs.transport = " + transport, "rocketlog.consumer.poll-time = 1 h")
                .withTopic("orders", 1)) {
            LogConsumer consumer = open(running, FROM_START);
            await().until(consumer::readsDirectly);
            produce(running, 0, texts(0, 1000));
            new Collected(0).poll(consumer, 1000);
            String before = running.status();
            assertThat(consumer.poll(300, new Collected(0))).isZero();
            assertThat(before).contains("\"openedSegments\":1,", "\"closedSegments\":0,");
            assertThat(requests(running.status())).isEqualTo(requests(before));
        }
    }

    private static String requests(String status) {
        return status.replaceFirst(".*(\"requests\":[0-9]+).*", "$1");
    }

    @Test
    void shouldNameATopicOrPartitionThatDoesNotExist() {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 2)) {
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> LogConsumer.open(running.clients(), running.settings(), "missing", FROM_START))
                    .withMessageContaining("topic missing does not exist; create it with")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.NO_SUCH_TOPIC));
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> open(running, FROM_START.withPartition(2, ConsumerStart.LATEST)))
                    .withMessageContaining("topic orders has no partition 2: partitions=2")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.NO_SUCH_TOPIC));
            LogConsumer consumer = open(running, FROM_START.withPartition(1, ConsumerStart.LATEST));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> consumer.nextOffset(0))
                    .withMessageContaining("partition=0");
            consumer.close();
            consumer.close();
            assertThatIllegalStateException().isThrownBy(() -> consumer.poll(0, new Collected(0)));
        }
    }

    @Test
    void shouldFailOrReportTheGapWhenRetentionIsFaster() {
        try (RunningLogBroker running = new RunningLogBroker(
                        folder,
                        SMALL_SEGMENTS,
                        "rocketlog { retention.length = 64 KiB, flush-interval = 20 ms,"
                                + " consume.deleted-segment-timeout = 100 ms }")
                .withTopic("orders", 1)) {
            LogConsumer failing = open(running, FROM_START);
            LogConsumer skipping = open(running, FROM_START.withGaps(GapPolicy.SKIP));
            Collected seen = new Collected(0);
            produce(running, 0, texts(0, 10));
            seen.poll(skipping, 10);
            produce(running, 0, texts(10, 20_000));
            await().atMost(60, TimeUnit.SECONDS).until(() -> running.status().contains("\"revokedSegments\":2,"));
            while (seen.next < 20_000) {
                skipping.poll(1000, seen);
            }
            assertThat(seen.gaps).isNotEmpty();
            assertThat(skipping.skippedCount()).isPositive();
            assertThat(seen.values).hasSize((int) (20_000 - skipping.skippedCount()));
            assertThat(seen.values).last().isEqualTo("record 19999");
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> new Collected(0).poll(failing, 20_000))
                    .withMessageContaining("orders-0: retention deleted the records from offset 0 to ")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.DELETED));
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> open(running, ConsumerOptions.from(ConsumerStart.at(5))))
                    .withMessageContaining("GapPolicy.SKIP");
        }
    }

    @Test
    void shouldReadADeletedSegmentToItsEndWithinTheTime() {
        try (RunningLogBroker running = new RunningLogBroker(
                        folder,
                        SMALL_SEGMENTS,
                        "rocketlog { retention.length = 1, flush-interval = 20 ms,"
                                + " consume.deleted-segment-timeout = 1 h }")
                .withTopic("orders", 1)) {
            LogConsumer consumer = open(running, FROM_START.withGaps(GapPolicy.SKIP));
            produce(running, 0, texts(0, 10_000));
            await().atMost(60, TimeUnit.SECONDS).until(() -> segmentCount("orders-0") == 1);
            Collected seen = new Collected(0);
            while (seen.next < 10_000) {
                consumer.poll(1000, seen);
            }
            assertThat(seen.gaps).hasSize(1);
            assertThat(seen.gaps.get(0)).doesNotStartWith("0-");
        }
    }

    private long segmentCount(String partition) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(partition))) {
            return files.filter(file -> file.toString().endsWith(".log")).count();
        }
    }

    @Test
    void shouldReportADamagedBatchAndReadOtherPartitions() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder, SMALL_SEGMENTS).withTopic("orders", 2)) {
            produce(running, 0, texts(0, 10));
            produce(running, 1, texts(0, 10));
            try (FileChannel file =
                    FileChannel.open(folder.resolve("orders-0/00000000000000000000.log"), StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(new byte[] {'X'}), 30);
            }
            LogConsumer consumer = open(running, FROM_START);
            List<String> others = new ArrayList<>();
            RecordCallback callback = (partition, offset, timestamp, key, value) -> {
                assertThat(partition).isOne();
                return others.add(UTF_8.decode(value).toString());
            };
            for (int i = 0; i < 3 || others.size() < 10; i++) {
                assertThatExceptionOfType(LogClientException.class)
                        .isThrownBy(() -> {
                            while (true) {
                                consumer.poll(1000, callback);
                            }
                        })
                        .withMessageContaining("orders-0: the segment with base offset 0 is damaged at position 0: ")
                        .withMessageContaining("the CRC-32C does not match")
                        .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.DAMAGED));
            }
            assertThat(others).isEqualTo(texts(0, 10));
            assertThat(consumer.nextOffset(0)).isZero();
        }
    }

    @Test
    void shouldContinueAfterADamagedBatch() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder, SMALL_SEGMENTS).withTopic("orders", 1)) {
            texts(0, 5).forEach(text -> produce(running, 0, List.of(text))); // each text in its own batch
            Path segment = folder.resolve("orders-0/00000000000000000000.log");
            try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(new byte[] {'X'}), file.size() / 5 + 30);
            }
            LogConsumer consumer = open(running, FROM_START);
            Collected seen = new Collected(0);
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> seen.poll(consumer, 5))
                    .withMessageContaining("continue with an offset above 1")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.DAMAGED));
            assertThat(seen.values).isEqualTo(texts(0, 1));
            LogConsumer behind = open(running, ConsumerOptions.from(ConsumerStart.at(2)));
            assertThat(new Collected(2).poll(behind, 3).values).isEqualTo(texts(2, 5));
        }
    }

    @Test
    void shouldEndAPollWhenTheThreadIsInterrupted() {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1)) {
            LogConsumer consumer = open(running, FROM_START);
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> consumer.poll(60_000, new Collected(0)))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.CLOSED));
            assertThat(Thread.interrupted()).isTrue();
            produce(running, 0, texts(0, 3));
            assertThat(new Collected(0).poll(consumer, 3).values).isEqualTo(texts(0, 3));
        }
    }
}

package io.rocketbufs.rocketlog.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.RecordCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.record.RingLayout;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of topics in memory over each transport, with consumers that keep up, fall behind, or disconnect. */
@Tag("once")
@Timeout(600)
final class MemoryTopicSystemTest {
    private static final long CAPACITY = 256 << 10;
    private static final String SETTINGS =
            "rocketlog { batch.longest = 16 KiB, flush = always, producer { batch = 4 KiB, memory = 64 KiB }}";

    @TempDir
    Path folder;

    private RunningLogBroker start(String... settings) {
        return new RunningLogBroker(folder, SETTINGS, String.join("\n", settings));
    }

    private static LogProducer producer(RunningLogBroker running) {
        return LogProducer.open(running.clients(), running.settings(), "ticks", ProducerCallback.NONE);
    }

    private static LogConsumer consumer(RunningLogBroker running, ConsumerOptions options) {
        return running.opened(LogConsumer.open(running.clients(), running.settings(), "ticks", options));
    }

    private static void produce(RunningLogBroker running, long from, long to) {
        try (LogProducer producer = producer(running)) {
            for (long i = from; i < to; i++) {
                SentRecords.send(producer, 0, "record " + i);
            }
            producer.flush();
        }
    }

    /** A callback that checks that each offset has the correct record, and that the reported gaps are exact. */
    private static final class Checked implements RecordCallback {
        private long next;
        private long missing;
        private long gaps;

        Checked(long first) {
            next = first;
        }

        @Override
        public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
            assertThat(offset).isEqualTo(next++);
            assertThat(UTF_8.decode(value).toString()).isEqualTo("record " + offset);
            return true;
        }

        @Override
        public void onGap(int partition, long firstOffset, long nextOffset) {
            assertThat(firstOffset).isEqualTo(next);
            assertThat(nextOffset).isGreaterThan(firstOffset);
            missing += nextOffset - firstOffset;
            gaps++;
            next = nextOffset;
        }

        Checked poll(LogConsumer consumer, long end) {
            while (next < end) {
                consumer.poll(1000, this);
            }
            return this;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldReadEveryRecordWithoutCallingTheBrokerWhileTheRingWrapsAround(String transport) {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running = start(
                        "rocketbufs.transport = " + transport + "\nrocketlog.consumer.poll-time = 1 h")
                .withMemoryTopic("ticks", 1, CAPACITY)) {
            LogConsumer consumer = consumer(running, ConsumerOptions.DEFAULTS);
            Checked checked = new Checked(0);
            for (int i = 0; i < 20; i++) {
                produce(running, i * 2000L, (i + 1) * 2000L); // fewer records than the ring can hold
                checked.poll(consumer, (i + 1) * 2000L);
            }
            assertThat(checked.missing).isZero();
            assertThat(running.status()).contains("\"openedSegments\":1,", "\"closedSegments\":0,");
            String before = requests(running.status());
            assertThat(consumer.poll(300, checked)).isZero();
            assertThat(requests(running.status())).isEqualTo(before);
            assertThat(running.broker().topics().topic("ticks").partition(0).startOffset())
                    .isPositive();
        }
    }

    private static String requests(String status) {
        return status.replaceFirst(".*(\"requests\":[0-9]+).*", "$1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldReportExactGapsToSleepersAndContinueWithTheOldestRecord(String transport) {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running =
                start("rocketbufs.transport = " + transport).withMemoryTopic("ticks", 1, CAPACITY)) {
            LogConsumer consumer = consumer(running, ConsumerOptions.DEFAULTS);
            produce(running, 0, 100);
            Checked checked = new Checked(0).poll(consumer, 100);
            produce(running, 100, 60_000); // fills the ring several times
            LogPartition partition = running.broker().topics().topic("ticks").partition(0);
            checked.poll(consumer, 60_000);
            assertThat(checked.gaps).isOne();
            assertThat(checked.missing).isEqualTo(partition.startOffset() - 100);
            assertThat(consumer.skippedCount()).isEqualTo(checked.missing);
            assertThat(consumer.reconnectCount()).isZero();
            long kept = 60_000 - partition.startOffset();
            Checked fromOldest = new Checked(partition.startOffset());
            assertThat(fromOldest.poll(consumer(running, ConsumerOptions.DEFAULTS), 60_000).missing)
                    .isZero();
            assertThat(kept).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldNeverDeliverAWrongRecordToConsumersThatAreConstantlyOvertaken(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running =
                start("rocketbufs.transport = " + transport).withMemoryTopic("ticks", 1, 128 << 10)) {
            LogConsumer consumer = consumer(running, ConsumerOptions.DEFAULTS);
            AtomicBoolean isStopped = new AtomicBoolean();
            CompletableFuture<Long> producing = CompletableFuture.supplyAsync(() -> {
                long sent = 0;
                try (LogProducer producer = producer(running)) {
                    while (!isStopped.get()) {
                        SentRecords.send(producer, 0, "record " + sent++);
                    }
                    producer.flush();
                }
                return sent;
            });
            Checked checked = new Checked(0);
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            LogPartition partition = running.broker().topics().topic("ticks").partition(0);
            for (int i = 0; System.nanoTime() < endNs || checked.gaps < 3 && !producing.isDone(); i++) {
                int ahead = i % 2 * 300; // the broker has overtaken the consumer, or will do so during the read
                await().pollInterval(Duration.ofMillis(1))
                        .until(() -> producing.isDone() || partition.startOffset() + ahead > checked.next);
                consumer.poll(10, checked);
            }
            isStopped.set(true);
            long sent = producing.get(60, TimeUnit.SECONDS);
            checked.poll(consumer, sent);
            assertThat(consumer.skippedCount()).isEqualTo(checked.missing);
            assertThat(consumer.reconnectCount()).isZero();
        }
    }

    @Test
    void shouldBeginWhereTheOptionsSay() {
        try (RunningLogBroker running = start().withMemoryTopic("ticks", 2, CAPACITY)) {
            produce(running, 0, 3000);
            new Checked(2345)
                    .poll(consumer(running, ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.at(2345))), 3000);
            LogConsumer latest = consumer(running, ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.LATEST));
            LogConsumer atEnd = consumer(running, ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.at(3000)));
            assertThat(latest.poll(0, new Checked(-1))).isZero();
            produce(running, 3000, 3003);
            new Checked(3000).poll(latest, 3003);
            new Checked(3000).poll(atEnd, 3003);
            produce(running, 3003, 60_000);
            Checked late = new Checked(7);
            late.poll(consumer(running, ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.at(7))), 60_000);
            assertThat(late.gaps).isOne();
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() ->
                            consumer(running, ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.at(60_001))))
                    .withMessageContaining("offset=60001 is beyond the end of the log, which is 60000");
        }
    }

    @Test
    void shouldStoreOnlyTheTopicsNameAndBeginEmptyWithHigherOffsetsAfterARestart() throws Exception {
        try (RunningLogBroker running = start().withMemoryTopic("ticks", 2, CAPACITY)) {
            produce(running, 0, 1000);
            try (Stream<Path> files = Files.walk(folder).filter(Files::isRegularFile)) {
                assertThat(files.map(file -> folder.relativize(file).toString()))
                        .containsExactlyInAnyOrder("FORMAT", "LOCK", "topics/ticks");
            }
        }
        try (RunningLogBroker running = start().withMemoryTopic("ticks", 2, CAPACITY)) {
            LogConsumer consumer = consumer(running, ConsumerOptions.DEFAULTS);
            long first = consumer.nextOffset(0);
            assertThat(first).isGreaterThan(1000).isEqualTo(consumer.endOffset(0));
            LogConsumer continued =
                    consumer(running, ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.at(1000)));
            produce(running, first, first + 10);
            new Checked(first).poll(consumer, first + 10);
            Checked afterGap = new Checked(1000).poll(continued, first + 10);
            assertThat(afterGap.gaps).isOne();
            assertThat(continued.skippedCount()).isZero(); // the number of lost records is unknown
        }
    }

    @Test
    void shouldRefuseATopicThatDoesNotFitTheMemoryAndNameBoth() {
        try (RunningLogBroker running = start("rocketlog.memory.limit = 1 MiB").withMemoryTopic("ticks", 2, CAPACITY);
                TopicClient topics = TopicClient.connect(running.clients(), running.settings())) {
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.createInMemory("more", 3, CAPACITY))
                    .withMessage("topic more: partitions=3 with capacity=262144 bytes each exceed"
                            + " rocketlog.memory.limit=1048576 bytes, of which other topics use 524288; use a smaller"
                            + " capacity or fewer partitions, or raise the limit");
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.createInMemory("more", 1, 0)) // the default capacity
                    .withMessageContaining("capacity=67108864 bytes each exceed rocketlog.memory.limit=1048576");
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.createInMemory("more", 1, 100_000))
                    .withMessageContaining("topic more: capacity=100000 bytes must be from 131072");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> topics.createInMemory("more", 2, -1))
                    .withMessage("topic more: capacity=-1 is negative");
            topics.createInMemory("more", 2, CAPACITY);
            topics.createInMemory("more", 2, CAPACITY - 1);
            topics.createInMemory("more", 2, 0);
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.createInMemory("more", 2, 2 * CAPACITY))
                    .withMessageContaining("topic more exists in memory with capacity=262144 bytes")
                    .withMessageEndingWith(
                            "its storage and capacity cannot be changed; use the existing topic, or another name");
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.create("more", 2))
                    .withMessageContaining("topic more exists in memory");
            topics.create("disk", 1);
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.createInMemory("disk", 1, 0))
                    .withMessageContaining("topic disk exists on the disk");
            assertThat(running.status()).contains("\"memoryBytes\":1048576,\"memoryLimit\":1048576,");
        }
    }

    @Test
    void shouldNotStartWithTopicsThatNoLongerFitAndNameTheFile() {
        start().withMemoryTopic("ticks", 2, CAPACITY).close();
        assertThatExceptionOfType(java.io.UncheckedIOException.class)
                .isThrownBy(() -> start("rocketlog.memory.limit = 300 KiB"))
                .withMessageContaining("topics/ticks: topic ticks: partitions=2 with capacity=262144 bytes each exceed")
                .withMessageEndingWith("To start the broker, change the setting back, or delete the file");
    }

    @Test
    void shouldGrantNothingButReadingTheRing() throws Exception {
        try (RunningLogBroker running = start().withMemoryTopic("ticks", 1, CAPACITY)) {
            RawProducer client = running.opened(new RawProducer(running.clients(), running.address()));
            OpenedSegment opened = SegmentMessageLayout.openedSegment(
                    client.ask(SegmentMessageLayout.open(1, "ticks", 0, 0, StartKind.EARLIEST, 0)));
            RemoteMemory ring = client.connection().remoteMemory(opened.grant(), (context, value) -> {});
            assertThat(ring.rights()).containsExactly(Right.READ);
            assertThat(ring.length()).isEqualTo(RingLayout.length(opened.ringSegmentLength()));
            produce(running, 0, 10);
            new Checked(0).poll(consumer(running, ConsumerOptions.DEFAULTS), 10);
        }
    }

    @Test
    void shouldKeepNoMemoryForATopicWhoseNameTheDiskHasNotStored() throws IOException {
        Path names = folder.resolve("topics");
        try (RunningLogBroker running = start();
                TopicClient topics = TopicClient.connect(running.clients(), running.settings())) {
            Files.writeString(names, "where the folder belongs");
            assertThatExceptionOfType(LogClientException.class)
                    .isThrownBy(() -> topics.createInMemory("ticks", 2, CAPACITY))
                    .withMessageStartingWith("topic ticks: cannot ")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.STORAGE));
            assertThat(running.status()).contains("\"topics\":0,", "\"memoryBytes\":0,");
            assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain("rocketlog-ring");
            Files.delete(names);
            topics.createInMemory("ticks", 2, CAPACITY);
            assertThat(running.status()).contains("\"topics\":1,", "\"memoryBytes\":524288,");
        }
    }

    @Test
    void shouldFreeTheMemoryWhenTheBrokerIsClosed() throws IOException {
        try (RunningLogBroker running = start().withMemoryTopic("ticks", 3, CAPACITY)) {
            produce(running, 0, 100);
            new Checked(0).poll(consumer(running, ConsumerOptions.DEFAULTS), 100);
        }
        await().until(() -> !Files.readString(Path.of("/proc/self/maps")).contains("rocketlog-ring"));
    }

    @Test
    void shouldLetExclusiveProducersUseTheirPrivateBuffersBecauseTheMemoryIsReused() {
        try (RunningLogBroker running = start(
                        "rocketlog { produce.direct.topics = [ticks], producer.mode = exclusive }")
                .withMemoryTopic("ticks", 1, CAPACITY)) {
            for (int i = 0; i < 100; i++) { // the refusal may arrive while the producer still waits for the lease
                produce(running, i, i + 1);
            }
            produce(running, 100, 1000);
            new Checked(0).poll(consumer(running, ConsumerOptions.DEFAULTS), 1000);
            assertThat(running.status()).contains("\"writtenBatches\":0,", "\"leases\":0,");
        }
    }
}

package io.rocketbufs.rocketlog.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.protocol.TopicStateLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of topics that are deleted while producers and consumers use them. */
@Tag("once")
@Timeout(600)
final class TopicDeletionSystemTest {
    @TempDir
    Path folder;

    private RunningLogBroker running;
    private TopicClient topics;

    private void start(String transport, String... settings) {
        RunningLogBroker.assume(transport, folder);
        running = new RunningLogBroker(
                        folder,
                        "rocketbufs.transport = " + transport,
                        "rocketbufs.heartbeat-timeout = 1 m", // prevents the loss of connections on a busy machine
                        "rocketlog { segment-length = 64 KiB, batch.longest = 32 KiB, deletable-topics = [orders]",
                        "client.connect-timeout = 60 s, produce.direct { topics = [orders], revoke-timeout = 1 s } }",
                        String.join("\n", settings))
                .withTopic("orders", 3);
        topics = running.opened(TopicClient.connect(running.clients(), running.settings()));
    }

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private LogProducer producer(String mode) {
        LogClientSettings settings = LogClientSettings.from(RunningLogBroker.config(
                        folder, "rocketlog.producer { mode = " + mode + ", lease-delay = 1 ms }"))
                .withBroker(running.address());
        return running.opened(LogProducer.open(running.clients(), settings, "orders", ProducerCallback.NONE));
    }

    private static long append(LogProducer producer, int partition, String value) throws Exception {
        return producer.append(partition, null, ByteBuffer.wrap(value.getBytes(UTF_8)))
                .get(60, TimeUnit.SECONDS);
    }

    private LogConsumer consumer() {
        return running.opened(
                LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
    }

    private static List<String> poll(LogConsumer consumer, int count) {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            consumer.poll(
                    1000,
                    (partition, offset, timestamp, key, value) ->
                            values.add(partition + ":" + offset + "=" + UTF_8.decode(value)));
        }
        return values;
    }

    private static void assertDeleted(LogConsumer consumer, String reason) {
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> {
                    while (true) {
                        consumer.poll(1000, (partition, offset, timestamp, key, value) -> true);
                    }
                })
                .withMessageContaining("topic orders was deleted" + reason)
                .matches(e -> e.code() == LogClientException.Code.NO_SUCH_TOPIC);
    }

    private static void assertDeleted(LogProducer producer, int partition) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> append(producer, partition, "lost"))
                .withCauseInstanceOf(LogClientException.class)
                .withMessageContaining("topic orders, partition " + partition + ": the topic was deleted");
        assertThat(producer.failure().code()).isEqualTo(LogClientException.Code.NO_SUCH_TOPIC);
    }

    @ParameterizedTest
    @CsvSource({"tcp, disk", "shm, disk", "rdma, disk", "tcp, memory", "shm, memory", "rdma, memory"})
    void shouldNotifyConsumersThatDoNotPoll(String transport, String storage) throws Exception {
        start(transport, "rocketlog.consumer { poll-time = 1 ms, poll-delay = 1 h }");
        if (storage.equals("memory")) {
            topics.delete("orders");
            running.withMemoryTopic("orders", 3, 16 << 20);
        }
        LogConsumer consumer = consumer();
        CompletableFuture<Void> deleted = CompletableFuture.runAsync(() -> assertDeleted(consumer, ""));
        await().until(() -> running.status().contains("\"waitingSegments\":3,"));
        topics.delete("orders");
        deleted.get(60, TimeUnit.SECONDS);
        assertThat(running.status()).contains("\"waitingSegments\":0,");
    }

    private boolean isMapped() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .anyMatch(line -> line.contains(folder + "/orders-") || line.contains("rocketlog-ring"));
    }

    /** Waits until all files of the topic have been deleted. */
    private void awaitGone() {
        for (int i = 0; i < 3; i++) {
            Path partition = folder.resolve("orders-" + i);
            await().atMost(60, TimeUnit.SECONDS).until(() -> !Files.exists(partition));
        }
        await().atMost(60, TimeUnit.SECONDS).until(() -> !isMapped());
        await().atMost(60, TimeUnit.SECONDS).until(() -> !Files.exists(folder.resolve("topics/orders~deleted")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldNotifyProducersAndConsumersAndStartOverUnderTheSameName(String transport) throws Exception {
        start(transport);
        LogProducer ring = producer("private");
        LogProducer direct = producer("exclusive");
        LogConsumer consumer = consumer();
        assertThat(append(ring, 0, "first")).isZero();
        assertThat(append(direct, 1, "second")).isZero();
        assertThat(poll(consumer, 2)).containsExactlyInAnyOrder("0:0=first", "1:0=second");
        topics.delete("orders");
        assertThat(topics.topics()).isEmpty();
        running.withTopic("orders", 3);
        assertDeleted(consumer, "; another topic with this name was created since");
        assertDeleted(ring, 0);
        assertDeleted(direct, 1);
        LogProducer again = producer("exclusive");
        assertThat(append(again, 0, "new")).isZero();
        assertThat(poll(consumer(), 1)).containsExactly("0:0=new");
        assertDeleted(consumer, "; another topic");
        assertThat(running.status()).contains("\"topics\":1", "\"partitions\":3", "\"failedPartitions\":0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldFreeTheMemoryOfATopicWithClientsAndRecreateItWithEitherStorage(String transport) throws Exception {
        start(transport, "rocketlog.memory.limit = 512 KiB");
        MemoryTopics memory = running.broker().topics().memory();
        topics.delete("orders");
        topics.createInMemory("orders", 2, 256 << 10);
        assertThat(memory.usedBytes()).isEqualTo(512 << 10);
        LogProducer producer = producer("private");
        LogConsumer consumer = consumer();
        assertThat(append(producer, 1, "first")).isZero();
        assertThat(poll(consumer, 1)).containsExactly("1:0=first");
        topics.delete("orders");
        topics.createInMemory("orders", 2, 256 << 10); // needs all memory of the deleted topic
        assertThat(memory.usedBytes()).isEqualTo(512 << 10);
        assertDeleted(consumer, "; another topic with this name was created since");
        assertDeleted(producer, 1);
        topics.delete("orders");
        awaitGone();
        assertThat(memory.usedBytes()).isZero();
        assertThat(folder.resolve("topics")).isEmptyDirectory();
        running.withTopic("orders", 3);
        assertThat(append(producer("private"), 0, "new")).isZero();
        assertThat(poll(consumer(), 1)).containsExactly("0:0=new");
    }

    @Test
    void shouldReuseExistingFilesWhenATopicIsCreatedThatCouldNotBeStored() throws Exception {
        start("tcp");
        topics.delete("orders");
        Path obstacle = Files.createDirectories(folder.resolve("topics/orders/foreign"));
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.create("orders", 3))
                .withMessageContaining("topic orders: cannot ");
        Files.delete(obstacle);
        Files.delete(obstacle.getParent());
        topics.createInMemory("orders", 3, 256 << 10);
        topics.delete("orders");
        awaitGone();
        running.withTopic("orders", 3);
        assertThat(append(producer("private"), 0, "new")).isZero();
        assertThat(folder.resolve("orders-0")).isNotEmptyDirectory();
    }

    @Test
    void shouldNotifyConsumersThatWaitAndThoseThatHaveNotReadEverything() throws Exception {
        start("tcp");
        LogProducer producer = producer("private");
        LogConsumer waiting = consumer();
        for (int i = 0; i < 20; i++) {
            append(producer, 2, "x".repeat(20_000));
        }
        LogConsumer slow = consumer();
        poll(waiting, 20);
        topics.delete("orders");
        assertDeleted(waiting, "");
        assertDeleted(slow, "");
        awaitGone();
    }

    @Test
    void shouldFailResultsThatWaitForTheDiskAndProducersWithoutAcknowledgements() throws Exception {
        start("tcp", "rocketlog.flush = always");
        RawProducer raw = running.opened(new RawProducer(running.clients(), running.address()));
        raw.announce("orders");
        raw.send(0, RawProducer.batch(7, 0, 0, "a"));
        raw.awaitResults(1);
        topics.delete("orders");
        raw.send(0, RawProducer.batch(7, 0, 1, "b"));
        raw.send(1, RawProducer.batch(7, 0, 0, "c"));
        raw.awaitResults(3);
        assertThat(raw.results).containsExactly(0L, -6L, -6L);
        assertThat(raw.end).isNull();
    }

    @Test
    void shouldRefuseClientsThatKnowTheFormerTopicWhenTheyReconnect() {
        start("tcp");
        long former = topics.state("orders").id();
        topics.delete("orders");
        RawProducer raw = running.opened(new RawProducer(running.clients(), running.address()));
        String gone = "topic orders was deleted";
        RawProducer.assertRefused(
                raw.ask(ProduceMessageLayout.produce(1, 1, "orders", former)), LogRefusal.NO_SUCH_TOPIC, gone);
        running.withTopic("orders", 3);
        assertThat(topics.state("orders").id()).isNotEqualTo(former);
        String other = gone + "; another topic with this name was created since";
        RawProducer.assertRefused(
                raw.ask(ProduceMessageLayout.produce(1, 1, "orders", former)), LogRefusal.NO_SUCH_TOPIC, other);
        RawProducer.assertRefused(
                raw.ask(SegmentMessageLayout.open(1, "orders", former, 0, StartKind.EARLIEST, 0)),
                LogRefusal.NO_SUCH_TOPIC,
                other);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldDeleteATopicAlthoughClientsThatUseItDoNotRespond(String transport) throws Exception {
        start(transport);
        RocketBufs stopped =
                running.opened(RocketBufs.open(RunningLogBroker.config(folder, "rocketbufs.transport = " + transport)));
        RawProducer client = running.opened(new RawProducer(stopped, running.address()));
        client.announce("orders");
        client.lease(0).write(RawProducer.batch(7, 0, 0, "a"));
        client.ask(SegmentMessageLayout.open(1, "orders", 0, 0, StartKind.EARLIEST, 0));
        client.awaitResults(1);
        CountDownLatch ended = new CountDownLatch(1);
        client.occupyUntil(ended);
        try {
            topics.delete("orders");
            awaitGone();
            running.withTopic("orders", 1);
        } finally {
            ended.countDown();
        }
    }

    @Test
    void shouldFinishADeletionAtTheNextStartIfTheBrokerIsClosedDuringIt() throws Exception {
        start("tcp", "rocketlog.produce.direct.revoke-timeout = 1 h");
        RocketBufs stopped = running.opened(RocketBufs.open(RunningLogBroker.config(folder)));
        RawProducer client = running.opened(new RawProducer(stopped, running.address()));
        client.announce("orders");
        client.lease(1).write(RawProducer.batch(7, 0, 0, "a"));
        client.awaitResults(1);
        TopicClient others = running.opened(TopicClient.connect(running.clients(), running.settings()));
        CountDownLatch ended = new CountDownLatch(1);
        client.occupyUntil(ended);
        try {
            topics.delete("orders");
            await().atMost(60, TimeUnit.SECONDS).until(() -> !Files.exists(folder.resolve("orders-0")));
            assertThat(folder.resolve("orders-1")).isNotEmptyDirectory();
            CompletableFuture<Void> creation = CompletableFuture.runAsync(() -> others.create("orders", 1));
            others.create("prices", 1); // does not wait for the end of the lease
            running.broker().close();
            assertThat(creation).failsWithin(60, TimeUnit.SECONDS);
        } finally {
            ended.countDown();
        }
        running.close();
        running = new RunningLogBroker(folder);
        topics = running.opened(TopicClient.connect(running.clients(), running.settings()));
        assertThat(topics.topics()).extracting(TopicEntry::name).containsExactly("prices");
        awaitGone();
        topics.create("orders", 3);
        assertThat(topics.state("orders").partitions()).allMatch(each -> each.nextOffset() == 0);
    }

    @Test
    void shouldRefuseToDeleteWithoutPermissionOrAMissingTopic() {
        start("tcp");
        running.withTopic("prices", 1);
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.delete("prices"))
                .withMessageContaining("topic prices", "rocketlog.deletable-topics")
                .matches(e -> e.code() == LogClientException.Code.REFUSED);
        topics.delete("orders");
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.delete("orders"))
                .withMessage("topic orders does not exist; list the topics with: rocketlog topics");
        assertThat(topics.state("prices").partitions()).hasSize(1);
        RawProducer raw = running.opened(new RawProducer(running.clients(), running.address()));
        RawProducer.assertRefused(
                raw.ask(TopicStateLayout.delete(1, "../orders")), LogRefusal.DENIED, "rocketlog.deletable-topics");
        RawProducer.assertRefused(
                raw.ask(TopicStateLayout.examine(1, "prices", 1)), LogRefusal.NO_SUCH_TOPIC, "no partition 1");
        RawProducer.assertRefused(
                raw.ask(TopicStateLayout.examine(1, "prices", -1)), LogRefusal.NO_SUCH_TOPIC, "no partition -1");
        RawProducer.assertRefused(
                raw.ask(TopicStateLayout.examine(1, "a\nb", 0)), LogRefusal.NO_SUCH_TOPIC, "does not exist");
    }

    @Test
    void shouldNameTheFolderThatCannotBeDeletedAndFinishLater() throws Exception {
        start("tcp");
        Path foreign = Files.createDirectory(folder.resolve("orders-1").resolve("foreign"));
        String problem = "cannot delete " + folder.resolve("orders-1");
        topics.delete("orders");
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.create("orders", 3))
                .withMessageContaining(problem);
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.delete("orders"))
                .withMessageContainingAll("topic orders was deleted, but its files are still there", problem);
        assertThat(topics.topics()).isEmpty();
        Files.delete(foreign);
        topics.delete("orders");
        awaitGone();
        topics.create("orders", 2);
        assertThat(topics.state("orders").partitions()).hasSize(2);
    }

    @Test
    void shouldKeepTheCountersOfDeletedTopics() throws Exception {
        start("tcp", "rocketlog.producer.batch = 4 KiB");
        topics.delete("orders");
        topics.createInMemory("orders", 1, 256 << 10);
        LogProducer producer = producer("private");
        for (int i = 0; i < 50; i++) {
            append(producer, 0, "x".repeat(10_000));
        }
        poll(consumer(), 1);
        LogCounters counters = running.broker().topics().counters();
        long overwritten = counters.overwrittenRecords.sum();
        assertThat(overwritten).isPositive();
        topics.delete("orders");
        awaitGone();
        assertThat(counters.appendedBatches.sum()).isEqualTo(50);
        assertThat(counters.overwrittenRecords.sum()).isEqualTo(overwritten);
        assertThat(running.status()).contains("\"appendedBatches\":50", "\"openedSegments\":1");
        running.withTopic("orders", 1);
        append(producer("private"), 0, "next");
        assertThat(running.status()).contains("\"appendedBatches\":51");
    }

    @Test
    void shouldFinishADeletionWhenTheBrokerIsStartedAgain() throws Exception {
        start("tcp");
        append(producer("private"), 0, "first");
        topics.createInMemory("ticks", 1, 256 << 10);
        running.close();
        Path files = folder.resolve("topics");
        Files.move(files.resolve("orders"), files.resolve("orders~deleted"));
        Files.move(files.resolve("ticks"), files.resolve("ticks~deleted"));
        Files.delete(folder.resolve("orders-1").resolve("00000000000000000000.log"));
        running = new RunningLogBroker(folder);
        topics = running.opened(TopicClient.connect(running.clients(), running.settings()));
        assertThat(topics.topics()).isEmpty();
        awaitGone();
        assertThat(files).isEmptyDirectory();
        topics.create("orders", 3);
        assertThat(topics.state("orders").partitions()).allMatch(each -> each.nextOffset() == 0);
    }

    @Test
    void shouldDescribeATopicInMemory() throws Exception {
        start("tcp", "rocketlog.retention.length = 1 MiB");
        topics.delete("orders");
        topics.createInMemory("orders", 2, 300_000);
        append(producer("private"), 1, "a");
        TopicState state = topics.state("orders");
        assertThat(state.capacity()).isEqualTo(320 << 10);
        assertThat(state.options().retentionMs()).isEqualTo(LogTopicOptions.UNLIMITED);
        assertThat(state.options().retentionLength()).isEqualTo(LogTopicOptions.UNLIMITED);
        TopicState.Partition written = state.partitions().get(1);
        assertThat(written.nextOffset()).isEqualTo(1);
        assertThat(written.durableOffset()).isZero();
        assertThat(written.length()).isPositive();
        assertThat(written.segments()).isEqualTo(1);
    }

    @Test
    void shouldDescribeAThousandPartitions() throws Exception {
        start("tcp", "rocketlog.retention { time = none, length = 1 MiB }");
        topics.create("many", 1000);
        TopicState state = topics.state("many");
        assertThat(state.partitions()).hasSize(1000).allMatch(each -> each.segments() == 1 && each.length() == 0);
        assertThat(state.options().retentionMs()).isEqualTo(LogTopicOptions.UNLIMITED);
        assertThat(state.options().retentionLength()).isEqualTo(1 << 20);
        append(producer("exclusive"), 1, "a");
        TopicState.Partition written = topics.state("orders").partitions().get(1);
        assertThat(written.nextOffset()).isEqualTo(1);
        assertThat(written.length()).isPositive();
        assertThat(written.leaseHolder()).contains("127.0.0.1");
    }
}

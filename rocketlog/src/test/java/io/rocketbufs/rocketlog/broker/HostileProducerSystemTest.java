package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.NewTopic;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of producers that violate the protocol. A correct producer of the same broker must not be affected. */
@Tag("once")
@Timeout(600)
@ParameterizedClass
@CsvSource({"tcp, false", "shm, false", "rdma, false", "tcp, true"})
final class HostileProducerSystemTest {
    @Parameter(0)
    String transport;

    @Parameter(1)
    boolean isInMemory;

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private RawProducer good;
    private final List<String> appended = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        RunningLogBroker.assume(transport, folder);
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = " + transport,
                "rocketlog { batch.longest = 32 KiB, produce { ring-capacity = 128 KiB, window = 16 } }");
        if (isInMemory) {
            running.withMemoryTopic("orders", 2, 1 << 20);
        } else {
            running.withTopic("orders", 2);
        }
        good = running.opened(new RawProducer(running.clients(), running.address()));
        good.announce("orders");
    }

    @AfterEach
    void checkTheOther() {
        if (running == null) {
            return; // the test was skipped
        }
        appendToTheOther();
        List<String> inMemory = isInMemory ? consumed() : List.of();
        running.close();
        assertThat(isInMemory ? inMemory : LoggedRecords.values(folder, "orders-0"))
                .isEqualTo(appended);
    }

    private List<String> consumed() {
        List<String> values = new ArrayList<>();
        ConsumerOptions options = ConsumerOptions.DEFAULTS.withPartition(0, ConsumerStart.EARLIEST);
        try (LogConsumer consumer = LogConsumer.open(running.clients(), running.settings(), "orders", options)) {
            while (values.size() < appended.size()) {
                consumer.poll(1000, (partition, offset, timestamp, key, value) -> {
                    assertThat(offset).isEqualTo(values.size());
                    return values.add(StandardCharsets.UTF_8.decode(value).toString());
                });
            }
        }
        return values;
    }

    private void appendToTheOther() {
        good.send(0, RawProducer.batch(5, 0, appended.size(), "good " + appended.size()));
        appended.add("good " + appended.size());
        good.awaitResults(appended.size());
        assertThat(good.results).last().isEqualTo(appended.size() - 1L);
    }

    private RawProducer hostile() throws InterruptedException {
        appendToTheOther();
        RawProducer hostile = running.opened(new RawProducer(running.clients(), running.address()));
        assertThat(LogMessageLayout.type(hostile.announce("orders"))).isEqualTo(LogMessageType.PRODUCING);
        return hostile;
    }

    private static ByteBuffer changed(Consumer<ByteBuffer> change) {
        ByteBuffer batch = RawProducer.batch(7, 0, 0, "a", "b");
        change.accept(batch);
        if (RecordBatchLayout.length(batch, 0) == batch.limit()) {
            MalformedBatches.withCrc(batch);
        }
        return batch;
    }

    @Test
    void shouldReportTheVerdictOfEachMalformedBatch() throws Exception {
        RawProducer hostile = hostile();
        List<BatchVerdict> expected = new ArrayList<>();
        send(hostile, expected, BatchVerdict.TRUNCATED, ByteBuffer.allocate(0));
        send(hostile, expected, BatchVerdict.TRUNCATED, ByteBuffer.allocate(60));
        send(hostile, expected, BatchVerdict.BAD_LENGTH, ByteBuffer.allocate(100));
        send(hostile, expected, BatchVerdict.BAD_LENGTH, changed(b -> b.putInt(8, Integer.MAX_VALUE)));
        send(hostile, expected, BatchVerdict.BAD_LENGTH, ByteBuffer.allocate(40 << 10));
        send(hostile, expected, BatchVerdict.BAD_MAGIC, changed(b -> b.put(16, (byte) 1)));
        ByteBuffer badCrc = changed(b -> {});
        send(hostile, expected, BatchVerdict.BAD_CRC, badCrc.put(badCrc.limit() - 1, (byte) 99));
        send(hostile, expected, BatchVerdict.BAD_ATTRIBUTES, changed(b -> b.putShort(21, (short) 0x4000)));
        send(hostile, expected, BatchVerdict.BAD_COUNT, changed(b -> b.putInt(57, 3)));
        send(hostile, expected, BatchVerdict.BAD_TIMESTAMP, changed(b -> b.putLong(27, -1)));
        send(hostile, expected, BatchVerdict.BAD_PRODUCER, changed(b -> b.putInt(53, -5)));
        send(hostile, expected, BatchVerdict.BAD_RECORD, changed(b -> b.put(61, (byte) 126)));
        send(hostile, expected, BatchVerdict.CONTROL_BATCH, changed(b -> b.putShort(21, (short) 0x20)));
        send(hostile, expected, BatchVerdict.COMPRESSED, changed(b -> b.putShort(21, (short) 1)));
        long tomorrow = System.currentTimeMillis() + 86_400_000;
        send(hostile, expected, BatchVerdict.FUTURE_TIMESTAMP, RawProducer.batch(tomorrow, 7, 0, 0, "a"));
        hostile.awaitResults(expected.size());
        assertThat(hostile.results)
                .isEqualTo(expected.stream().map(AppendResult::rejected).toList());
        assertThat(hostile.end).isNull();
    }

    private static void send(RawProducer hostile, List<BatchVerdict> expected, BatchVerdict verdict, ByteBuffer batch) {
        expected.add(verdict);
        hostile.send(1, batch);
    }

    @Test
    void shouldRefuseWrongSequencesEpochsAndPartitions() throws Exception {
        RawProducer hostile = hostile();
        hostile.send(1, RawProducer.batch(7, 1, 0, "first"));
        hostile.send(1, RawProducer.batch(7, 1, 2, "gap"));
        hostile.send(1, RawProducer.batch(7, 1, 0, "again"));
        hostile.send(1, RawProducer.batch(7, 0, 1, "former epoch"));
        hostile.send(1, RawProducer.batch(7, 2, 1, "new epoch in the middle"));
        hostile.send(2, RawProducer.batch(7, 1, 1, "no such partition"));
        hostile.send(-1, RawProducer.batch(7, 1, 1, "no such partition"));
        hostile.send(1, RawProducer.batch(7, 1, 1, "second"));
        hostile.awaitResults(8);
        assertThat(hostile.results)
                .containsExactly(
                        0L,
                        AppendResult.OUT_OF_ORDER,
                        0L,
                        AppendResult.FENCED,
                        AppendResult.OUT_OF_ORDER,
                        AppendResult.NO_SUCH_PARTITION,
                        AppendResult.NO_SUCH_PARTITION,
                        1L);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 101, Integer.MAX_VALUE})
    void shouldDisconnectAProducerWhoseFrameDoesNotEndWithItsDelivery(int length) throws Exception {
        RawProducer hostile = hostile();
        hostile.send(1, length, ByteBuffer.allocate(100));
        await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null);
        assertThat(hostile.results).isEmpty();
    }

    @Test
    void shouldDisconnectAProducerWhoseFrameHasNoHeader() throws Exception {
        RawProducer hostile = hostile();
        hostile.deliver(ByteBuffer.allocate(7));
        await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null);
    }

    @Test
    void shouldSurviveRandomBytes() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            RawProducer hostile = hostile();
            byte[] bytes = new byte[1 + random.nextInt(60_000)];
            random.nextBytes(bytes);
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            if (bytes.length > 8 && random.nextBoolean()) {
                frame.putInt(0, 1).putInt(4, bytes.length - 8);
            }
            hostile.deliver(frame);
            await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null || !hostile.results.isEmpty());
            assertThat(hostile.results).allMatch(result -> result < 0);
        }
    }

    @Test
    void shouldNotLetAProducerThatTakesNoResultsHarmOthers() throws Exception {
        appendToTheOther();
        RawProducer hostile = running.opened(new RawProducer(running.clients(), running.address()));
        hostile.ask(ProduceMessageLayout.produce(1, RawProducer.BUFFER, "orders")); // does not subscribe to the results
        int count = 3000;
        Thread sending = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                hostile.send(1, RawProducer.batch(7, 0, i, "x"));
            }
        });
        sending.start();
        for (int i = 0; i < 50; i++) {
            appendToTheOther();
        }
        hostile.subscribe();
        hostile.awaitResults(count);
        sending.join();
        assertThat(hostile.results).hasSize(count).isSorted();
    }

    @Test
    void shouldRefuseUnknownTopicsUsedBuffersAndTooManyProducers() throws Exception {
        RawProducer hostile = hostile();
        RawProducer.assertRefused(
                hostile.ask(ProduceMessageLayout.produce(1, 2, "missing\n")), LogRefusal.NO_SUCH_TOPIC, "missing");
        RawProducer.assertRefused(
                hostile.ask(ProduceMessageLayout.produce(1, RawProducer.BUFFER, "orders")),
                LogRefusal.INVALID,
                "topic orders: bufferId=1 already has a producer");
        RawProducer.assertRefused(
                hostile.ask(ProduceMessageLayout.produce(1, 77, "orders")),
                LogRefusal.INVALID,
                "cannot subscribe to bufferId=77");
        RawProducer.assertRefused(
                hostile.ask(TopicMessageLayout.create(1, new NewTopic("a/b", 1, 0, LogTopicOptions.NONE))),
                LogRefusal.INVALID,
                "not a valid topic name");
        assertThat(hostile.end).isNull();
    }

    @Test
    void shouldRefuseOptionsThatNoTopicCanHave() throws Exception {
        RawProducer hostile = hostile();
        long segment = 1 << 20;
        for (LogTopicOptions wrong : List.of(
                new LogTopicOptions(-2, 0, 0),
                new LogTopicOptions(Long.MAX_VALUE, 0, 0),
                new LogTopicOptions(0, Long.MIN_VALUE, 0),
                new LogTopicOptions(0, 0, -1),
                new LogTopicOptions(0, 0, 65_535),
                new LogTopicOptions(0, 0, 1L << 32))) {
            NewTopic topic = new NewTopic("other", 1, TopicMessageLayout.ON_DISK, wrong);
            RawProducer.assertRefused(hostile.ask(TopicMessageLayout.create(1, topic)), LogRefusal.INVALID, "other: ");
        }
        NewTopic inMemory =
                new NewTopic("other", 1, TopicMessageLayout.DEFAULT_CAPACITY, new LogTopicOptions(0, 0, segment));
        RawProducer.assertRefused(
                hostile.ask(TopicMessageLayout.create(1, inMemory)),
                LogRefusal.INVALID,
                "segment-length cannot be set");
        assertThat(running.broker().topics().topic("other")).isNull();
        assertThat(hostile.end).isNull();
    }

    @Test
    void shouldAcceptABufferIdAgainOnceTheFormerProducersBufferIsUnused() throws Exception {
        RawProducer hostile = hostile();
        AppendTurn turn = running.broker().topics().topic("orders").partition(1).turn();
        assertThat(turn.enter(null)).isTrue();
        try {
            hostile.send(1, RawProducer.batch(7, 0, 0, "waits for the turn"));
            hostile.endBuffer();
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> running.broker().state().producerCount() == 1);
            RawProducer.assertRefused(
                    hostile.ask(ProduceMessageLayout.produce(2, RawProducer.BUFFER, "orders")),
                    LogRefusal.INVALID,
                    "topic orders: bufferId=1 is already subscribed to; use another buffer id");
        } finally {
            turn.exit(); // otherwise, the broker would wait for the turn when it is closed
        }
        hostile.createBufferAgain();
        // The worker appends the batch and releases the buffer once it can enter the append turn.
        await().until(() ->
                LogMessageLayout.type(hostile.ask(ProduceMessageLayout.produce(3, RawProducer.BUFFER, "orders")))
                        == LogMessageType.PRODUCING);
        assertThat(hostile.end).isNull();
    }

    @Test
    void shouldFreeTheBufferOfAProducerWhoseLastFrameIsMalformed() throws Exception {
        appendToTheOther();
        long before = running.brokers().memoryInUse();
        RawProducer hostile = hostile();
        AppendTurn turn = running.broker().topics().topic("orders").partition(1).turn();
        assertThat(turn.enter(null)).isTrue();
        try {
            hostile.send(1, RawProducer.batch(7, 0, 0, "waits for the turn"));
            hostile.send(1, -1, ByteBuffer.allocate(100));
            hostile.endBuffer();
            await().until(() -> running.broker().state().producerCount() == 1);
        } finally {
            turn.exit(); // otherwise, the broker would wait for the turn when it is closed
        }
        await().until(() -> hostile.end != null);
        await().untilAsserted(() -> assertThat(running.brokers().memoryInUse()).isLessThanOrEqualTo(before));
    }

    @Test
    void shouldDisconnectAClientThatSendsMalformedMessages() throws Exception {
        for (ByteBuffer message : List.of(
                ByteBuffer.allocate(0),
                ByteBuffer.allocate(8),
                ByteBuffer.wrap(new byte[] {6, 0, 0, 0, 0, 0, 0, 1, 0}),
                TopicMessageLayout.created(1))) {
            RawProducer hostile = hostile();
            hostile.connection().sendControlMessage(message);
            await().atMost(60, TimeUnit.SECONDS).until(() -> hostile.end != null);
        }
    }

    @Test
    void shouldRefuseOtherGreetings() {
        assertThatThrownBy(() -> new RawProducer(running.clients(), running.address(), new byte[] {1, 2, 3}))
                .hasMessageContaining("this port accepts only clients of rocketlog");
    }

    @Test
    void shouldDisconnectAPeerThatNeverGreets(@TempDir Path other) throws Exception {
        assumeTrue(transport.equals("tcp"), "only this transport accepts a plain socket as a peer");
        String heartbeat = "rocketbufs { heartbeat-interval = 200 ms, heartbeat-timeout = 1 s }";
        try (RunningLogBroker strict = new RunningLogBroker(other, heartbeat);
                Socket silent = new Socket(
                        strict.address().getAddress(), strict.address().getPort())) {
            silent.setSoTimeout(60_000);
            InputStream in = silent.getInputStream();
            await().atMost(60, TimeUnit.SECONDS).until(() -> in.read() < 0);
        }
    }
}

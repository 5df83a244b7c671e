package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of consumers that violate the protocol. A correct consumer of the same broker must not be affected. */
@Tag("once")
@Timeout(600)
final class HostileConsumerSystemTest {
    private static final String SETTINGS = "rocketlog { segment-length = 64 KiB, batch.longest = 32 KiB,"
            + " flush-interval = 20 ms, limits { segments-per-connection = 4, open-segments = 6 } }\n"
            + "rocketbufs.heartbeat-timeout = 1 m"; // prevents the loss of connections on a busy machine

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private RawProducer producer;
    private LogConsumer good;
    private int sequence;

    private void start(String... settings) throws Exception {
        running = new RunningLogBroker(folder, SETTINGS, String.join("\n", settings)).withTopic("orders", 2);
        producer = running.opened(new RawProducer(running.clients(), running.address()));
        producer.announce("orders");
        good = running.opened(LogConsumer.open(
                running.clients(),
                running.settings(),
                "orders",
                ConsumerOptions.DEFAULTS.withPartition(1, ConsumerStart.EARLIEST)));
        checkGood();
    }

    private void startOver(String transport, String... settings) throws Exception {
        RunningLogBroker.assume(transport, folder);
        start("rocketbufs.transport = " + transport, String.join("\n", settings));
    }

    private void append(int partition, int length) {
        producer.send(partition, RawProducer.batch(5 + partition, 0, sequence, "v".repeat(length)));
        sequence++;
    }

    /** Appends a record to the good consumer's partition. The consumer must receive it. */
    private void checkGood() {
        int count = producer.results.size();
        producer.send(1, RawProducer.batch(99, 0, (int) good.nextOffset(1), "good"));
        producer.awaitResults(count + 1);
        int seen = 0;
        while (seen == 0) {
            seen = good.poll(1000, (partition, offset, timestamp, key, value) -> true);
        }
        assertThat(good.reconnectCount()).isZero();
    }

    @AfterEach
    void end() {
        if (running == null) {
            return; // the test was skipped
        }
        checkGood();
        running.close();
    }

    private RawProducer hostile() {
        return running.opened(new RawProducer(running.clients(), running.address()));
    }

    private static ByteBuffer open(int partition, StartKind kind, long value) {
        return SegmentMessageLayout.open(1, "orders", 0, partition, kind, value);
    }

    private static OpenedSegment opened(RawProducer client) {
        return SegmentMessageLayout.openedSegment(client.ask(open(0, StartKind.EARLIEST, 0)));
    }

    private static void assertRefused(RawProducer client, ByteBuffer question, LogRefusal kind, String reason) {
        RawProducer.assertRefused(client.ask(question), kind, reason);
    }

    private static void assertEnded(RawProducer client) {
        await().until(() -> client.end != null);
        assertThat(client.end).isInstanceOf(TransportException.class);
    }

    @Test
    void shouldRefuseInvalidRequests() throws Exception {
        start();
        RawProducer client = hostile();
        assertRefused(client, open(2, StartKind.LATEST, 0), LogRefusal.NO_SUCH_TOPIC, "no partition 2: partitions=2");
        assertRefused(client, open(-1, StartKind.LATEST, 0), LogRefusal.NO_SUCH_TOPIC, "no partition -1");
        assertRefused(client, open(0, StartKind.OFFSET, -1), LogRefusal.INVALID, "offset=-1 is negative");
        assertRefused(
                client, open(0, StartKind.OFFSET, Long.MAX_VALUE), LogRefusal.NO_SUCH_OFFSET, "beyond the end of");
        assertRefused(
                client,
                SegmentMessageLayout.open(1, "../orders", 0, 0, StartKind.LATEST, 0),
                LogRefusal.NO_SUCH_TOPIC,
                "does not exist");
        for (int i = 0; i < 10; i++) { // times outside the log are valid, and the refusals above have occupied no slots
            ByteBuffer answer = client.ask(open(0, StartKind.TIME, i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE));
            client.connection()
                    .sendControlMessage(SegmentMessageLayout.close(
                            SegmentMessageLayout.openedSegment(answer).slot()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 511, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldEndTheConnectionOfAClientThatClosesASegmentThatIsNotOpen(int slot) throws Exception {
        start();
        RawProducer client = hostile();
        client.connection().sendControlMessage(SegmentMessageLayout.close(slot));
        assertEnded(client);
    }

    @Test
    void shouldEndTheConnectionOfAClientThatClosesTwice() throws Exception {
        start();
        RawProducer client = hostile();
        ByteBuffer close = SegmentMessageLayout.close(opened(client).slot());
        client.connection().sendControlMessage(close.duplicate());
        client.connection().sendControlMessage(close);
        assertEnded(client);
    }

    @Test
    void shouldEndTheConnectionOfAClientThatSendsAMalformedOpen() throws Exception {
        start();
        RawProducer client = hostile();
        ByteBuffer open = open(0, StartKind.LATEST, 0);
        client.connection().sendControlMessage(open.putInt(12, 9)); // an unknown kind of start
        assertEnded(client);
        RawProducer other = hostile();
        other.connection().sendControlMessage(SegmentMessageLayout.opened(1, aSegment()));
        assertEnded(other);
    }

    private static OpenedSegment aSegment() {
        return new OpenedSegment(0, 1, 0, 0, 0, 0, 0, 0, ByteBuffer.allocate(32), ByteBuffer.allocate(32), 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldRefuseMoreOpenSegmentsThanAllowed(String transport) throws Exception {
        startOver(transport);
        RawProducer client = hostile();
        for (int i = 0; i < 4; i++) {
            assertThat(opened(client).slot()).isEqualTo(i);
        }
        assertRefused(
                client,
                open(0, StartKind.EARLIEST, 0),
                LogRefusal.LIMIT,
                "already has rocketlog.limits.segments-per-connection=4 open segments");
        RawProducer second = hostile();
        opened(second); // the sixth open segment, including the good consumer's
        assertRefused(
                second,
                open(0, StartKind.EARLIEST, 0),
                LogRefusal.LIMIT,
                "already have rocketlog.limits.open-segments=6 open segments");
        client.connection().sendControlMessage(SegmentMessageLayout.close(2));
        assertThat(opened(client).slot()).isEqualTo(2);
        client.connection().close();
        await().until(() -> running.status().contains("\"openSegments\":2,"));
        await().until(() -> LogMessageLayout.type(second.ask(open(0, StartKind.EARLIEST, 0))) == LogMessageType.OPENED);
    }

    @Test
    void shouldServeAFloodOfOpenAndClose() throws Exception {
        start();
        RawProducer client = hostile();
        for (int i = 0; i < 2000; i++) {
            client.connection().sendControlMessage(open(0, StartKind.EARLIEST, 0));
            ByteBuffer answer = client.answers.poll(60, TimeUnit.SECONDS);
            int slot = SegmentMessageLayout.openedSegment(answer).slot();
            client.connection().sendControlMessage(SegmentMessageLayout.close(slot));
        }
        await().until(() -> running.status().contains("\"openSegments\":1,"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldRefuseAFloodOfOpenWithoutHoldingUpOthers(String transport) throws Exception {
        startOver(transport);
        RawProducer client = hostile();
        for (int i = 0; i < 2000; i++) {
            client.connection().sendControlMessage(open(0, StartKind.EARLIEST, 0));
        }
        await().until(() -> client.answers.size() == 2000 || client.end != null);
        assertThat(client.answers.stream().map(LogMessageLayout::type))
                .filteredOn(type -> type == LogMessageType.OPENED)
                .hasSize(4);
    }

    /** The callback of a synchronous read. */
    private static final class Reading implements RemoteMemoryCallback {
        private final AtomicLong completed = new AtomicLong();

        @Override
        public void onCompleted(long context, long value) {
            completed.incrementAndGet();
        }

        void read(RemoteMemory memory, long offset, int length, Region into) {
            long awaited = completed.get() + 1;
            assertThat(memory.read(offset, length, into, 0, 0)).isEqualTo(Posted.POSTED);
            await().until(() -> completed.get() == awaited);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldSurviveAClientThatReadsBeyondTheEndOfASegmentThatIsShortened(String transport) throws Exception {
        startOver(transport);
        RawProducer client = hostile();
        Reading reading = new Reading();
        try (MemoryPool pool = new MemoryPool(1 << 20)) {
            Region into = pool.allocate(64 << 10);
            RemoteMemory memory =
                    client.connection().remoteMemory(opened(client).grant(), reading);
            for (int i = 0; i < 20; i++) {
                int count = producer.results.size();
                append(0, 20_000);
                producer.awaitResults(count + 1);
                reading.read(memory, 0, 64 << 10, into);
                assertThat(into.window((64 << 10) - 1, 1).get(0)).isZero();
            }
            assertThat(memory.length()).isEqualTo(64 << 10);
            into.release();
        }
    }

    @Test
    void shouldGrantNothingButReading() throws Exception {
        start();
        RawProducer client = hostile();
        OpenedSegment segment = opened(client);
        RemoteMemory slots = client.connection().remoteMemory(segment.slots(), new Reading());
        RemoteMemory memory = client.connection().remoteMemory(segment.grant(), new Reading());
        assertThat(slots.length()).isEqualTo(SlotLayout.LENGTH);
        assertThat(slots.rights()).containsExactly(Right.READ);
        assertThat(memory.rights()).containsExactly(Right.READ);
    }

    private boolean isDeletedFileMapped() {
        try {
            return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .anyMatch(line -> line.contains(folder.toString()) && line.endsWith("(deleted)"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldTakeADeletedSegmentFromAClientThatDoesNotRespond(String transport) throws Exception {
        startOver(transport, "rocketlog { retention.length = 1, consume.deleted-segment-timeout = 100 ms }");
        RocketBufs stopped =
                running.opened(RocketBufs.open(RunningLogBroker.config(folder, "rocketbufs.transport = " + transport)));
        RawProducer client = running.opened(new RawProducer(stopped, running.address()));
        CountDownLatch ended = new CountDownLatch(1);
        try {
            OpenedSegment segment = opened(client);
            client.connection().remoteMemory(segment.grant(), new Reading());
            client.occupyUntil(ended);
            int count = producer.results.size();
            for (int i = 0; i < 10; i++) {
                append(0, 20_000);
            }
            producer.awaitResults(count + 10);
            await().until(() -> running.status().contains("\"revokedSegments\":1,"));
            await().until(() -> !isDeletedFileMapped());
        } finally {
            ended.countDown();
        }
    }
}

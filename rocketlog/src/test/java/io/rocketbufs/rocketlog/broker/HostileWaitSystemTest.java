package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.protocol.WaitMessageLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of clients that wait for records at the worst moment, too often, or never. A correct client of the same broker
 * must not be affected.
 */
@Tag("once")
@Timeout(600)
final class HostileWaitSystemTest {
    private static final String SETTINGS =
            "rocketbufs { heartbeat-timeout = 5 m }\nrocketlog.consumer.poll-delay = 1 h\n";

    private String transport = "rocketbufs.transport = tcp\n";

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private RawProducer producer;
    private LogConsumer good;
    /** Number of records in each partition. */
    private final int[] counts = new int[2];

    private enum Storage {
        DISK,
        FORCED_DISK,
        MEMORY
    }

    private void start(Storage storage) {
        running = new RunningLogBroker(
                folder,
                SETTINGS,
                transport,
                "rocketlog.flush = " + (storage == Storage.FORCED_DISK ? "always" : "interval"));
        if (storage == Storage.MEMORY) {
            running.withMemoryTopic("orders", 2, 16 << 20);
        } else {
            running.withTopic("orders", 2);
        }
        producer = running.opened(new RawProducer(running.clients(), running.address()));
        producer.announce("orders");
        good = running.opened(LogConsumer.open(
                running.clients(),
                running.settings(),
                "orders",
                ConsumerOptions.DEFAULTS.withPartition(1, ConsumerStart.EARLIEST)));
        checkGood();
    }

    private void startOver(String name) {
        RunningLogBroker.assume(name, folder);
        transport = "rocketbufs.transport = " + name + "\n";
        start(Storage.DISK);
    }

    private void send(int partition) {
        producer.send(partition, RawProducer.batch(5 + partition, 0, counts[partition], "value"));
        counts[partition]++;
    }

    private void append(int partition) {
        send(partition);
        producer.awaitResults(counts[0] + counts[1]);
    }

    /** Appends a record to the good consumer's partition. The consumer must receive it. */
    private void checkGood() {
        append(1);
        while (good.poll(1000, (partition, offset, timestamp, key, value) -> true) == 0) {
            assertThat(producer.end).isNull();
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

    private RawProducer client() {
        return running.opened(new RawProducer(running.clients(), running.address()));
    }

    private RawProducer clientWithItsOwnWorker() {
        RocketBufs own = running.opened(RocketBufs.open(RunningLogBroker.config(folder, SETTINGS, transport)));
        return running.opened(new RawProducer(own, running.address()));
    }

    /** Opens the newest segment of a partition, and returns its slot. */
    private static int open(RawProducer client, int partition) {
        return SegmentMessageLayout.openedSegment(
                        client.ask(SegmentMessageLayout.open(1, "orders", 0, partition, StartKind.LATEST, 0)))
                .slot();
    }

    private static ByteBuffer waitMessage(int slot, long offset) {
        ByteBuffer wait = WaitMessageLayout.begin(1);
        WaitMessageLayout.add(wait, slot, offset);
        return wait.flip();
    }

    private static void sendWait(RawProducer client, int slot, long offset) {
        client.connection().sendControlMessage(waitMessage(slot, offset));
    }

    private static LogMessageType answer(RawProducer client) throws Exception {
        ByteBuffer answer = client.answers.poll(60, TimeUnit.SECONDS);
        assertThat(answer)
                .as(() -> "no response; the connection has ended: " + client.end)
                .isNotNull();
        return LogMessageLayout.type(answer);
    }

    /** Asserts that no READY has arrived. All other messages from the broker must already have been received. */
    private static void assertNotReady(RawProducer client) {
        assertThat(LogMessageLayout.type(client.ask(TopicMessageLayout.describe(1, ""))))
                .isEqualTo(LogMessageType.DESCRIBED);
        assertThat(client.answers).isEmpty();
    }

    private void awaitWaits(int count) {
        await().until(() -> running.status().contains("\"waitingSegments\":" + count + ","));
    }

    private static void assertEnded(RawProducer client) {
        await().until(() -> client.end != null);
        assertThat(client.end).isInstanceOf(TransportException.class);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAnswerOnceForAllWaitsOfAClient(Storage storage) throws Exception {
        start(storage);
        RawProducer client = client();
        ByteBuffer wait = WaitMessageLayout.begin(2);
        WaitMessageLayout.add(wait, open(client, 0), counts[0]);
        WaitMessageLayout.add(wait, open(client, 1), counts[1]);
        client.connection().sendControlMessage(wait.flip());
        awaitWaits(2);
        append(0);
        append(1);
        assertThat(answer(client)).isEqualTo(LogMessageType.READY);
        assertNotReady(client);
        awaitWaits(0);
    }

    /** The record is appended before the WAIT message arrives, after it, or at the same time. */
    @ParameterizedTest
    @EnumSource
    void shouldNotMissARecordThatIsAppendedWhenAWaitBegins(Storage storage) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        start(storage);
        RawProducer client = client();
        int slot = open(client, 0);
        for (int i = 0; i < (storage == Storage.FORCED_DISK ? 300 : 3000); i++) {
            int pause = random.nextInt(3) * random.nextInt(2000);
            boolean isWaitFirst = random.nextBoolean();
            int offset = counts[0];
            if (isWaitFirst) {
                sendWait(client, slot, offset);
            } else {
                send(0);
            }
            if (pause > 3000) {
                producer.awaitResults(counts[0] + counts[1]); // a record that was sent is now in the log
            }
            while (pause-- > 0) {
                Thread.onSpinWait();
            }
            if (isWaitFirst) {
                send(0);
            } else {
                sendWait(client, slot, offset);
            }
            assertThat(answer(client)).isEqualTo(LogMessageType.READY);
        }
        producer.awaitResults(counts[0] + counts[1]);
    }

    /** A wait beyond the end must not remain until the connection ends, because each append would check it. */
    @ParameterizedTest
    @EnumSource
    void shouldEndAWaitBeyondTheEndWithTheNextRecord(Storage storage) throws Exception {
        start(storage);
        RawProducer client = client();
        int slot = open(client, 0);
        for (long offset : new long[] {counts[0] + 2, Long.MAX_VALUE}) {
            sendWait(client, slot, offset);
            awaitWaits(1);
            assertNotReady(client);
            append(0);
            assertThat(answer(client)).isEqualTo(LogMessageType.READY);
            assertNotReady(client);
            awaitWaits(0);
        }
    }

    @Test
    void shouldEndAWaitWhenItsSegmentIsClosed() {
        start(Storage.DISK);
        RawProducer client = client();
        int slot = open(client, 0);
        sendWait(client, slot, counts[0]);
        awaitWaits(1);
        client.connection().sendControlMessage(SegmentMessageLayout.close(slot));
        awaitWaits(0);
        append(0);
        assertNotReady(client);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1, 511, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void shouldEndTheConnectionOfAClientThatWaitsInASegmentThatIsNotOpen(int slot) {
        start(Storage.DISK);
        RawProducer client = client();
        ByteBuffer wait = WaitMessageLayout.begin(2);
        WaitMessageLayout.add(wait, open(client, 0), Long.MAX_VALUE);
        WaitMessageLayout.add(wait, slot, 0);
        client.connection().sendControlMessage(wait.flip());
        assertEnded(client);
        awaitWaits(0);
    }

    @Test
    void shouldEndTheConnectionOfAClientThatSendsAMalformedWait() {
        start(Storage.DISK);
        RawProducer negative = client();
        sendWait(negative, open(negative, 0), -1);
        assertEnded(negative);
        RawProducer truncated = client();
        ByteBuffer wait = waitMessage(open(truncated, 0), 0);
        truncated.connection().sendControlMessage(wait.limit(wait.limit() - 1));
        assertEnded(truncated);
        RawProducer reversed = client();
        reversed.connection().sendControlMessage(WaitMessageLayout.ready());
        assertEnded(reversed);
        awaitWaits(0);
    }

    /**
     * Sends a message. Returns false if the connection does not accept it, because the client does not read its
     * responses.
     */
    private static boolean trySend(RawProducer client, ByteBuffer message) {
        try {
            client.connection().sendControlMessage(message);
            return true;
        } catch (TransportException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"tcp, 1000000", "shm, 100000"})
    void shouldKeepOneWaitOfAClientThatWaitsManyTimes(String name, int count) throws Exception {
        startOver(name);
        RawProducer client = client();
        ByteBuffer wait = waitMessage(open(client, 0), counts[0]);
        for (int i = 0; i < count; i++) {
            while (!trySend(client, wait.duplicate())) { // the client's own queue is full
                assertThat(client.end).isNull();
                Thread.onSpinWait();
            }
        }
        await().until(() -> running.status().contains("\"wait\":" + count + "}"));
        awaitWaits(1);
        append(0);
        assertThat(answer(client)).isEqualTo(LogMessageType.READY);
        assertNotReady(client);
    }

    @Test
    void shouldServeOthersWhileAClientFloodsItWithWaitsAndReadsNoAnswer() {
        start(Storage.DISK);
        append(0);
        RawProducer client = clientWithItsOwnWorker();
        ByteBuffer wait = waitMessage(open(client, 0), 0);
        CountDownLatch ended = new CountDownLatch(1);
        try {
            client.occupyUntil(ended);
            for (int i = 0; i < 1_000_000 && trySend(client, wait.duplicate()); i++) {
                if (i % 100_000 == 0) {
                    checkGood();
                }
            }
            checkGood();
        } finally {
            ended.countDown();
        }
    }

    @Test
    void shouldAppendWhileAClientThatWaitsDoesNotRespond() {
        start(Storage.DISK);
        RawProducer client = clientWithItsOwnWorker();
        int slot = open(client, 0);
        CountDownLatch ended = new CountDownLatch(1);
        try {
            client.occupyUntil(ended);
            sendWait(client, slot, counts[0]);
            awaitWaits(1);
            append(0);
            awaitWaits(0);
            append(0);
            checkGood();
        } finally {
            ended.countDown();
        }
        await().until(() -> !client.answers.isEmpty());
    }

    @Test
    void shouldForgetTheWaitOfAClientWhoseConnectionIsLost() {
        start(Storage.DISK);
        RocketBufs lost = RocketBufs.open(RunningLogBroker.config(folder, SETTINGS));
        RawProducer client = new RawProducer(lost, running.address());
        sendWait(client, open(client, 0), counts[0]);
        awaitWaits(1);
        lost.close();
        awaitWaits(0);
        append(0);
    }
}

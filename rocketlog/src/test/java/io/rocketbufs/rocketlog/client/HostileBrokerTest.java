package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of clients of a broker that sends invalid responses. */
@Timeout(600)
final class HostileBrokerTest {
    private static final int LENGTH = 8192;
    private static final RecordCallback NO_RECORD = (partition, offset, timestamp, key, value) -> {
        throw new AssertionError("record " + offset);
    };

    @TempDir
    Path folder;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region slots = pool.allocate(SlotLayout.LENGTH);
    private final Region segment = pool.allocate(LENGTH);
    private RocketBufs rocketBufs;
    private Listener listener;
    private final AtomicInteger opens = new AtomicInteger();
    private volatile OpenedSegment answer;
    private int ringSegmentLength;

    @BeforeEach
    void start() {
        rocketBufs = RocketBufs.open(RunningLogBroker.config(folder));
        listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(
                connection -> connection.setControlMessageCallback(message -> onMessage(connection, message)));
        answer(0, 0, 0, 0);
    }

    @AfterEach
    void end() {
        rocketBufs.close();
        slots.release();
        segment.release();
        pool.close();
    }

    private void answer(int slot, long baseOffset, long offset, long position) {
        answer = new OpenedSegment(slot, 1, baseOffset, offset, position, offset, 0, ringSegmentLength, null, null, 1);
    }

    private void onMessage(Connection connection, ByteBuffer message) {
        if (LogMessageLayout.type(message) == LogMessageType.OPEN) {
            OpenedSegment given = answer;
            opens.incrementAndGet();
            connection.sendControlMessage(SegmentMessageLayout.opened(
                    LogMessageLayout.correlation(message),
                    new OpenedSegment(
                            given.slot(),
                            given.partitions(),
                            given.baseOffset(),
                            given.offset(),
                            given.position(),
                            given.nextOffset(),
                            given.firstOffset(),
                            given.ringSegmentLength(),
                            grant(connection, segment, LENGTH),
                            grant(connection, slots, SlotLayout.LENGTH),
                            given.topicId())));
        }
    }

    private static ByteBuffer grant(Connection connection, Region region, int length) {
        return connection
                .grant(region, 0, length, Set.of(Right.READ), GrantCallback.NONE)
                .description();
    }

    private LogConsumer open(ConsumerStart start) {
        LogClientSettings settings = LogClientSettings.from(
                        RunningLogBroker.config(folder, "rocketlog.consumer.retry-delay = 1 h"))
                .withBroker(listener.address());
        return LogConsumer.open(rocketBufs, settings, "orders", ConsumerOptions.from(start));
    }

    private void publish(long position, boolean isEnded) {
        SlotLayout.publish(slots.window(0, SlotLayout.LENGTH), 0, position, isEnded);
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 0, 0, 0",
        "512, 0, 0, 0",
        "2147483647, 0, 0, 0",
        "0, -1, 0, 0",
        "0, 1, 0, 0",
        "0, 0, 0, -1",
        "0, 0, 0, 8193",
        "0, 0, 0, 9223372036854775807"
    })
    void shouldRejectAnImpossibleSegment(int slot, long baseOffset, long offset, long position) {
        answer(slot, baseOffset, offset, position);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> open(ConsumerStart.EARLIEST))
                .withMessageContaining("invalid description of a segment from the broker: slot=" + slot)
                .satisfies(e -> assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL));
    }

    @Test
    void shouldNotOpenAProducerAfterAMalformedResponse() {
        ROut results = new ROut(rocketBufs);
        results.createBuffer(1);
        listener.setConnectionCallback(connection -> {
            results.addConnection(connection);
            connection.setControlMessageCallback(message -> {
                ByteBuffer response = ProduceMessageLayout.producing(LogMessageLayout.correlation(message), 1, 1, 1, 1);
                connection.sendControlMessage(response.limit(response.limit() - 1));
            });
        });
        LogClientSettings settings = LogClientSettings.from(
                        RunningLogBroker.config(folder, "rocketlog.client.connect-timeout = 60 s"))
                .withBroker(listener.address());
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> LogProducer.open(rocketBufs, settings, "orders", ProducerCallback.NONE))
                .withMessageContaining("malformed message of rocketlog's protocol: it ends after");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 4096, LENGTH, Integer.MAX_VALUE})
    void shouldRejectARingThatIsNotTheGrantedMemory(int segmentLength) {
        ringSegmentLength = segmentLength;
        answer(0, 0, 0, 0);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> open(ConsumerStart.EARLIEST))
                .withMessageContaining("invalid description of a segment from the broker");
    }

    @ParameterizedTest
    @CsvSource({"-1, 4", "5, 4", "0, 3"})
    void shouldRejectOffsetsThatContradictEachOther(long firstOffset, long nextOffset) {
        answer = new OpenedSegment(0, 1, 0, 4, 0, nextOffset, firstOffset, 0, null, null, 1);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> open(ConsumerStart.EARLIEST))
                .withMessageContaining("firstOffset=" + firstOffset + ", nextOffset=" + nextOffset);
    }

    @Test
    void shouldRejectAnOffsetBeforeTheRequestedOne() {
        answer(0, 0, 4, 0);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> open(ConsumerStart.at(5)))
                .withMessageContaining("orders-0: the broker opened offset 4 instead of 5");
    }

    @ParameterizedTest
    @CsvSource({"8193, false", "4611686018427387903, true"})
    void shouldDisconnectFromABrokerThatReportsAnImpossiblePosition(long position, boolean isEnded) {
        try (LogConsumer consumer = open(ConsumerStart.EARLIEST)) {
            publish(position, isEnded);
            assertThat(consumer.poll(0, NO_RECORD)).isZero();
            assertThat(consumer.connectionProblem())
                    .hasMessageContaining("invalid position from the broker: position=" + position);
        }
    }

    @Test
    void shouldReportZerosAndImpossibleLengthsAsDamage() {
        try (LogConsumer consumer = open(ConsumerStart.EARLIEST)) {
            publish(100, false);
            assertDamaged(consumer, "the length field is");
            segment.window(0, LENGTH).putInt(8, Integer.MAX_VALUE);
            assertDamaged(consumer, "the length field is");
        }
        try (LogConsumer consumer = open(ConsumerStart.EARLIEST)) {
            segment.window(0, LENGTH).putInt(8, 100_000_000);
            assertDamaged(consumer, "the batch is longer than the log: length=100000012, rest=100");
            segment.window(0, LENGTH).putInt(8, -1);
        }
        try (LogConsumer consumer = open(ConsumerStart.EARLIEST)) {
            assertDamaged(consumer, "the length field is");
        }
    }

    private static void assertDamaged(LogConsumer consumer, String problem) {
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> consumer.poll(60_000, NO_RECORD))
                .withMessageContaining("orders-0: the segment with base offset 0 is damaged at position 0: ")
                .withMessageContaining(problem)
                .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.DAMAGED));
    }

    @Test
    void shouldOpenSegmentsThatEndWithoutRecordsAtGrowingIntervals() {
        try (LogConsumer consumer = open(ConsumerStart.EARLIEST)) {
            publish(0, true);
            while (opens.get() < 2) {
                assertThat(consumer.poll(1000, NO_RECORD)).isZero();
            }
            assertThat(opens.get()).isLessThanOrEqualTo(100);
        }
    }
}

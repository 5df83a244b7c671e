package io.rocketbufs.rocketlog.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketlog.record.RingLayout;
import io.rocketbufs.rocketnet.Right;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a consumer of an in-memory ring. They cover every combination of bytes and words that a read can find. */
@Timeout(600)
final class RingConsumerTest {
    private static final int SEGMENT = 4096;

    @TempDir
    Path folder;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region slots = pool.allocate(SlotLayout.LENGTH);
    private final Region ring = pool.allocate(RingLayout.length(SEGMENT));
    private final ByteBuffer words = ring.window(0, RingLayout.WORDS_LENGTH);
    private final AtomicInteger opens = new AtomicInteger();
    private final List<String> seen = new ArrayList<>();
    private final RecordCallback collector = new RecordCallback() {
        @Override
        public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
            return seen.add(offset + "=" + UTF_8.decode(value));
        }

        @Override
        public void onGap(int partition, long firstOffset, long nextOffset) {
            seen.add("gap " + firstOffset + "-" + nextOffset);
        }
    };
    private RocketBufs rocketBufs;
    private Listener listener;
    private volatile long openedOffset;
    private volatile long firstOffset;

    @BeforeEach
    void start() {
        rocketBufs = RocketBufs.open(RunningLogBroker.config(folder));
        listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(
                connection -> connection.setControlMessageCallback(message -> onMessage(connection, message)));
        for (int i = 0; i < RingLayout.SEGMENTS; i++) {
            RingLayout.beginReuse(words, i);
        }
        RingLayout.begin(words, 0, 0);
    }

    @AfterEach
    void end() {
        rocketBufs.close();
        slots.release();
        ring.release();
        pool.close();
    }

    private void onMessage(Connection connection, ByteBuffer message) {
        if (LogMessageLayout.type(message) == LogMessageType.OPEN) {
            opens.incrementAndGet();
            long offset = Math.max(openedOffset, SegmentMessageLayout.openValue(message));
            connection.sendControlMessage(SegmentMessageLayout.opened(
                    LogMessageLayout.correlation(message),
                    new OpenedSegment(
                            0,
                            1,
                            openedOffset,
                            offset,
                            0,
                            offset,
                            firstOffset,
                            SEGMENT,
                            grant(connection, ring),
                            grant(connection, slots),
                            1)));
        }
    }

    private static ByteBuffer grant(Connection connection, Region region) {
        return connection
                .grant(region, 0, region.length(), Set.of(Right.READ), GrantCallback.NONE)
                .description();
    }

    private LogConsumer open(GapPolicy gaps) {
        LogClientSettings settings = LogClientSettings.from(
                        RunningLogBroker.config(folder, "rocketlog.consumer.retry-delay = 1 ms"))
                .withBroker(listener.address());
        return LogConsumer.open(rocketBufs, settings, "orders", ConsumerOptions.DEFAULTS.withGaps(gaps));
    }

    /** Stores a batch with one record per value, and returns the position after the batch. */
    private int store(int segment, int position, long offset, String... values) {
        ByteBuffer memory =
                ring.window(RingLayout.segment(segment, SEGMENT), SEGMENT).position(position);
        BatchBuilder builder = new BatchBuilder().begin(memory);
        for (String value : values) {
            builder.add(1, null, UTF_8.encode(value));
        }
        builder.finish();
        RecordBatchLayout.assign(memory, position, offset, 0);
        return memory.position();
    }

    /** Appends a batch of one record to a segment. */
    private void append(int segment, long offset, String value) {
        int end = (int) RingLayout.end(words, segment);
        RingLayout.publish(words, segment, store(segment, end, offset, value));
    }

    private void clear(int segment) {
        RingLayout.beginReuse(words, segment);
        ring.window(RingLayout.segment(segment, SEGMENT), SEGMENT).put(0, new byte[SEGMENT]);
    }

    private List<String> poll(LogConsumer consumer) {
        seen.clear();
        for (int i = 0; i < 40; i++) {
            consumer.poll(0, collector);
        }
        return List.copyOf(seen);
    }

    @Test
    void shouldDeliverARecordWithTheFirstPollAfterItWasAppended() {
        try (LogConsumer consumer = open(GapPolicy.BY_STORAGE)) {
            assertThat(poll(consumer)).isEmpty();
            for (int i = 0; i < 20; i++) {
                append(0, i, "v" + i);
                seen.clear();
                assertThat(consumer.poll(0, collector)).isOne(); // words and bytes arrive with one read
                assertThat(seen).containsExactly(i + "=v" + i);
            }
        }
    }

    @Test
    void shouldFollowTheRingWithoutOpeningSegments() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            for (int i = 0; i < 100; i++) {
                int segment = i / 3 % RingLayout.SEGMENTS;
                if (i % 3 == 0 && i > 0) {
                    clear(segment);
                    RingLayout.begin(words, segment, i);
                }
                append(segment, i, "v");
                assertThat(poll(consumer)).containsExactly(i + "=v");
            }
            assertThat(opens).hasValue(1);
        }
    }

    @Test
    void shouldNotReadBeyondTheAnnouncedEnd() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            store(0, 0, 0, "not announced");
            assertThat(poll(consumer)).isEmpty();
            append(0, 0, "announced");
            assertThat(poll(consumer)).containsExactly("0=announced");
        }
    }

    @Test
    void shouldNotDeliverBytesOfASegmentThatIsBeingReused() {
        try (LogConsumer consumer = open(GapPolicy.BY_STORAGE)) {
            append(0, 0, "old");
            assertThat(poll(consumer)).containsExactly("0=old");
            append(0, 1, "old too"); // its bytes remain intact
            RingLayout.beginReuse(words, 0);
            RingLayout.begin(words, 1, 2);
            append(1, 2, "new");
            assertThat(poll(consumer)).containsExactly("gap 1-2", "2=new");
            assertThat(consumer.skippedCount()).isOne();
        }
    }

    @Test
    void shouldNotMistakeABatchForAnotherWhoseBaseOffsetWasReadBeforeItWasOverwritten() {
        try (LogConsumer consumer = open(GapPolicy.BY_STORAGE)) {
            assertThat(poll(consumer)).isEmpty();
            // A read that finds the first 8 bytes of the batch with offset 0 and the rest of a batch with offset 700.
            // The CRC is correct.
            int end = store(0, 0, 0, "offset 700");
            RingLayout.begin(words, 0, 700);
            RingLayout.publish(words, 0, end);
            for (int i = 0; i < 8; i++) {
                consumer.poll(0, new RecordCallback() {
                    @Override
                    public boolean onRecord(int partition, long offset, long time, ByteBuffer key, ByteBuffer value) {
                        assertThat(offset).isEqualTo(700);
                        return true;
                    }

                    @Override
                    public void onGap(int partition, long firstOffset, long nextOffset) {
                        store(0, 0, 700, "offset 700"); // the next read finds this batch
                        seen.add(firstOffset + "-" + nextOffset);
                    }
                });
            }
            assertThat(seen).containsExactly("0-700");
            assertThat(consumer.nextOffset(0)).isEqualTo(701);
        }
    }

    @Test
    void shouldContinueWithoutAGapIfItHadReadTheReusedSegmentToItsEnd() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            append(0, 0, "a");
            assertThat(poll(consumer)).containsExactly("0=a");
            RingLayout.begin(words, 1, 1);
            append(1, 1, "b");
            clear(0);
            RingLayout.begin(words, 2, 2);
            append(2, 2, "c");
            assertThat(poll(consumer)).containsExactly("1=b", "2=c");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 50})
    void shouldReportOneGapAfterSleepingForManyRounds(int rounds) {
        try (LogConsumer consumer = open(GapPolicy.BY_STORAGE)) {
            append(0, 0, "first");
            assertThat(poll(consumer)).containsExactly("0=first");
            long next = 1;
            for (int i = 1; i < rounds * RingLayout.SEGMENTS + 4; i++) {
                int segment = i % RingLayout.SEGMENTS;
                clear(segment);
                RingLayout.begin(words, segment, next);
                append(segment, next++, "v");
                append(segment, next++, "v");
            }
            long oldest = next - 2L * RingLayout.SEGMENTS;
            assertThat(poll(consumer)).hasSize(17).startsWith("gap 1-" + oldest, oldest + "=v");
            assertThat(consumer.nextOffset(0)).isEqualTo(next);
            assertThat(consumer.skippedCount()).isEqualTo(oldest - 1);
        }
    }

    @Test
    void shouldFailAtAGapIfThePolicyRequiresIt() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            append(0, 0, "a");
            assertThat(poll(consumer)).containsExactly("0=a");
            append(0, 1, "b");
            clear(0);
            RingLayout.begin(words, 0, 5);
            append(0, 5, "c");
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(LogClientException.class)
                        .isThrownBy(() -> poll(consumer))
                        .withMessageContaining("newer records overwrote the records from offset 1 to 4")
                        .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.DELETED));
            }
        }
    }

    @Test
    void shouldWaitIfTheWordsWereReadWhileTheyChanged() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            append(0, 0, "a");
            assertThat(poll(consumer)).containsExactly("0=a");
            RingLayout.beginReuse(words, 0);
            assertThat(poll(consumer)).isEmpty();
            RingLayout.begin(words, 3, 0); // simulates words that were read at different moments
            assertThat(poll(consumer)).isEmpty();
            RingLayout.begin(words, 1, 1);
            append(1, 1, "b");
            assertThat(poll(consumer)).containsExactly("1=b");
        }
    }

    @Test
    void shouldReportABatchThatStaysDamagedAndContinueWhenItHasBeenOverwritten() {
        try (LogConsumer consumer = open(GapPolicy.BY_STORAGE)) {
            append(0, 0, "damaged");
            ByteBuffer memory = ring.window(RingLayout.segment(0, SEGMENT), SEGMENT);
            memory.put(RecordBatchLayout.HEADER_LENGTH, (byte) ~memory.get(RecordBatchLayout.HEADER_LENGTH));
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(LogClientException.class)
                        .isThrownBy(() -> poll(consumer))
                        .withMessageContaining("orders-0: the segment with base offset 0 is damaged at position 0: ")
                        .satisfies(e -> assertThat(e.code()).isEqualTo(LogClientException.Code.DAMAGED));
            }
            RingLayout.begin(words, 1, 1);
            append(1, 1, "intact");
            clear(0);
            assertThat(poll(consumer)).containsExactly("gap 0-1", "1=intact");
        }
    }

    @Test
    void shouldReadABatchWhoseBytesArriveAfterItsAnnouncement() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            int end = store(0, 0, 0, "late");
            byte[] late = new byte[end - 8];
            ByteBuffer memory = ring.window(RingLayout.segment(0, SEGMENT), SEGMENT);
            memory.get(8, late).put(8, new byte[late.length]);
            RingLayout.publish(words, 0, end);
            assertThat(consumer.poll(0, collector)).isZero(); // only finds the segment
            assertThat(consumer.poll(0, collector)).isZero();
            memory.put(8, late);
            assertThat(poll(consumer)).containsExactly("0=late");
        }
    }

    /**
     * The CRC does not cover the base offset, so it is correct even while the bytes of the base offset are still zero.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void shouldReadABatchWhoseBaseOffsetArrivesAfterItsAnnouncement(int count) {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            for (int i = 0; i < 5; i++) {
                append(0, i, "v");
            }
            assertThat(poll(consumer)).hasSize(5);
            int begin = (int) RingLayout.end(words, 0);
            String[] values =
                    IntStream.range(5, 5 + count).mapToObj(i -> "late " + i).toArray(String[]::new);
            int end = store(0, begin, 0, values);
            RingLayout.publish(words, 0, end);
            assertThat(consumer.poll(0, collector)).isZero();
            RecordBatchLayout.assign(ring.window(RingLayout.segment(0, SEGMENT), SEGMENT), begin, 5, 0);
            append(0, 5 + count, "next");
            List<String> expected = new ArrayList<>(IntStream.range(5, 5 + count)
                    .mapToObj(i -> i + "=late " + i)
                    .toList());
            expected.add(5 + count + "=next");
            assertThat(poll(consumer)).isEqualTo(expected);
        }
    }

    @Test
    void shouldReadTheFirstBatchOfASegmentWhoseBaseOffsetArrivesAfterItsAnnouncement() {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            append(0, 0, "a");
            assertThat(poll(consumer)).containsExactly("0=a");
            int end = store(1, 0, 0, "late");
            RingLayout.begin(words, 1, 1);
            RingLayout.publish(words, 1, end);
            seen.clear();
            consumer.poll(0, collector);
            consumer.poll(0, collector);
            assertThat(seen).isEmpty();
            store(1, 0, 1, "late");
            assertThat(poll(consumer)).containsExactly("1=late");
        }
    }

    /** Without a pause, the consumer would read the words continuously. */
    @Test
    void shouldPauseBetweenReadsWhileNoSegmentCanBeRead() {
        RingLayout.beginReuse(words, 0);
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            consumer.poll(0, collector);
            long before = sentMessages();
            assertThat(consumer.poll(500, collector)).isZero();
            assertThat(sentMessages() - before).isLessThan(200);
        }
    }

    private long sentMessages() {
        return rocketBufs.metrics().connections().stream()
                .mapToLong(io.rocketbufs.metrics.ConnectionState::sentCount)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(longs = {SEGMENT + 1, Long.MAX_VALUE})
    void shouldDisconnectFromABrokerThatReportsAnImpossiblePosition(long end) {
        try (LogConsumer consumer = open(GapPolicy.FAIL)) {
            RingLayout.publish(words, 0, end);
            consumer.poll(0, collector);
            assertThat(consumer.connectionProblem())
                    .hasMessageContaining("invalid position from the broker: position=" + end);
        }
    }

    @Test
    void shouldNotCountTheOffsetsThatARestartHasSkipped() {
        openedOffset = 1_000_003;
        firstOffset = 1_000_000;
        RingLayout.begin(words, 0, openedOffset);
        append(0, openedOffset, "after");
        try (LogConsumer consumer = open(GapPolicy.BY_STORAGE)) {
            assertThat(poll(consumer)).containsExactly("1000003=after");
            assertThat(consumer.skippedCount()).isZero();
        }
        LogClientSettings settings =
                LogClientSettings.from(RunningLogBroker.config(folder)).withBroker(listener.address());
        ConsumerOptions continued = ConsumerOptions.from(ConsumerStart.at(1));
        try (LogConsumer consumer = LogConsumer.open(rocketBufs, settings, "orders", continued)) {
            assertThat(poll(consumer)).containsExactly("gap 1-1000003", "1000003=after");
            assertThat(consumer.skippedCount()).isEqualTo(3);
        }
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> LogConsumer.open(rocketBufs, settings, "orders", continued.withGaps(GapPolicy.FAIL)))
                .withMessageContaining("orders-0: the broker was restarted and lost the records from"
                        + " offset 1 to 1000002 before they were read");
    }
}

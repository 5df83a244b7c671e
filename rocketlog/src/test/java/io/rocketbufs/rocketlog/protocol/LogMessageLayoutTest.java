package io.rocketbufs.rocketlog.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.NewTopic;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LogMessageLayoutTest {
    private static final LogTopicOptions OWN_OPTIONS = new LogTopicOptions(-1, 2L << 40, 0);
    private static final LogTopicOptions OPTIONS = new LogTopicOptions(-1, 2L << 40, 5L << 40);
    private static final NewTopic NEW_TOPIC = new NewTopic("órders", 3, 1L << 33, OWN_OPTIONS);

    private static final List<Consumer<ByteBuffer>> READERS = List.of(
            LogMessageLayout::type,
            LogMessageLayout::correlation,
            TopicMessageLayout::after,
            TopicMessageLayout::moreFollow,
            TopicMessageLayout::topics,
            TopicMessageLayout::topicToCreate,
            ProduceMessageLayout::topic,
            LogMessageLayout::refusal,
            LogMessageLayout::reason,
            ProduceMessageLayout::bufferId,
            ProduceMessageLayout::partitions,
            ProduceMessageLayout::longestBatch,
            SegmentMessageLayout::openPartition,
            SegmentMessageLayout::openKind,
            SegmentMessageLayout::openValue,
            SegmentMessageLayout::openTopic,
            SegmentMessageLayout::openedSegment,
            SegmentMessageLayout::slot,
            LeaseMessageLayout::partitionToAcquire,
            LeaseMessageLayout::modeToAcquire,
            LeaseMessageLayout::producerToAcquire,
            LeaseMessageLayout::acquiredGrant,
            LeaseMessageLayout::acquiredWord,
            TopicMessageLayout::topicToCreate,
            ProduceMessageLayout::topicId,
            ProduceMessageLayout::producedTopicId,
            SegmentMessageLayout::openTopicId,
            WaitMessageLayout::count,
            wait -> WaitMessageLayout.slot(wait, 1),
            wait -> WaitMessageLayout.offset(wait, 1),
            TopicStateLayout::topicToDelete,
            TopicStateLayout::topic,
            TopicStateLayout::firstPartition,
            TopicStateLayout::partitions,
            TopicStateLayout::state);

    @Test
    void shouldReadWhatItHasWritten() {
        ByteBuffer produce = ProduceMessageLayout.produce(7, -3, "órders");
        assertThat(LogMessageLayout.type(produce)).isEqualTo(LogMessageType.PRODUCE);
        assertThat(LogMessageLayout.correlation(produce)).isEqualTo(7);
        assertThat(ProduceMessageLayout.bufferId(produce)).isEqualTo(-3);
        assertThat(ProduceMessageLayout.topic(produce)).isEqualTo("órders");
        ByteBuffer producing = ProduceMessageLayout.producing(8, 1, 4, 1 << 20, 1L << 40);
        assertThat(LogMessageLayout.type(producing)).isEqualTo(LogMessageType.PRODUCING);
        assertThat(ProduceMessageLayout.partitions(producing)).isEqualTo(4);
        assertThat(ProduceMessageLayout.longestBatch(producing)).isEqualTo(1 << 20);
        assertThat(ProduceMessageLayout.producedTopicId(producing)).isEqualTo(1L << 40);
        assertThat(ProduceMessageLayout.topicId(produce)).isEqualTo(LogMessageLayout.ANY_TOPIC);
        assertThat(ProduceMessageLayout.topicId(ProduceMessageLayout.produce(7, -3, "órders", -9)))
                .isEqualTo(-9);
        ByteBuffer create = TopicMessageLayout.create(9, NEW_TOPIC);
        assertThat(TopicMessageLayout.topicToCreate(create)).isEqualTo(NEW_TOPIC);
        ByteBuffer refused =
                LogMessageLayout.refused(1, new RefusedRequest(LogRefusal.STORAGE, "x".repeat(5000), "check the disk"));
        assertThat(LogMessageLayout.refusal(refused)).isEqualTo(LogRefusal.STORAGE);
        assertThat(LogMessageLayout.reason(refused)).isEqualTo("x".repeat(1008) + "; check the disk");
        assertThat(TopicMessageLayout.after(TopicMessageLayout.describe(1, ""))).isEmpty();
    }

    @Test
    void shouldReportThatMoreTopicsFollowWhenTheyDoNotFitInAMessage() {
        List<TopicEntry> topics =
                List.of(new TopicEntry("first", 1, TopicMessageLayout.ON_DISK), new TopicEntry("second", 2, 1L << 33));
        ByteBuffer all = TopicMessageLayout.described(1, topics.iterator(), 100);
        assertThat(TopicMessageLayout.topics(all)).isEqualTo(topics);
        assertThat(TopicMessageLayout.moreFollow(all)).isFalse();
        ByteBuffer some = TopicMessageLayout.described(1, topics.iterator(), 30);
        assertThat(TopicMessageLayout.topics(some)).containsExactly(topics.get(0));
        assertThat(TopicMessageLayout.moreFollow(some)).isTrue();
    }

    @Test
    void shouldReadOnlyOneTopicMoreThanFitsInAMessage() {
        AtomicInteger readCount = new AtomicInteger();
        Iterator<TopicEntry> endless = Stream.generate(() -> new TopicEntry("t", readCount.incrementAndGet(), 0))
                .iterator();
        int count = TopicMessageLayout.topics(TopicMessageLayout.described(1, endless, 16_376))
                .size();
        assertThat(readCount).hasValue(count + 1);
    }

    @Test
    void shouldReadAnyBytesOrRejectThemAsMalformed() {
        checkInputs(5_000);
    }

    /** Passes each input to every reading method. */
    @Test
    @Tag("slow")
    @Timeout(3600)
    void shouldReadTenMillionInputsOrRejectThemAsMalformed() {
        checkInputs(10_000_000);
    }

    private static void checkInputs(int count) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<byte[]> valid = validMessages();
        int rejected = 0;
        for (int i = 0; i < count; i++) {
            byte[] bytes = valid.get(random.nextInt(valid.size())).clone();
            for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            ByteBuffer message = ByteBuffer.wrap(Arrays.copyOf(bytes, random.nextInt(bytes.length + 8)));
            for (Consumer<ByteBuffer> reader : READERS) {
                rejected += rejects(reader, message) ? 1 : 0;
            }
        }
        assertThat(rejected).isPositive();
    }

    private static OpenedSegment segment() {
        return new OpenedSegment(
                3,
                4,
                5L << 32,
                6L << 32,
                7,
                8L << 32,
                9L << 32,
                10,
                ByteBuffer.wrap("g".repeat(32).getBytes(US_ASCII)),
                slots(),
                9L << 32);
    }

    private static final List<TopicState.Partition> STATES = List.of(
            new TopicState.Partition(1L << 40, 2L << 40, 3L << 40, 4L << 40, 5, "", "the disk is full"),
            new TopicState.Partition(1, 2, 3, 4, 6, "a client (127.0.0.1:1)", ""));

    private static ByteBuffer examined() {
        return TopicStateLayout.examined(
                14, new TopicState(7, 6L << 40, OWN_OPTIONS, OPTIONS, List.of()), 900, STATES.iterator(), 5000);
    }

    @Test
    void shouldReadTheMessagesAboutTheStateOfATopic() {
        assertThat(TopicStateLayout.topicToDelete(TopicStateLayout.delete(1, "órders")))
                .isEqualTo("órders");
        assertThat(LogMessageLayout.type(TopicStateLayout.deleted(1))).isEqualTo(LogMessageType.DELETED);
        ByteBuffer examine = TopicStateLayout.examine(1, "órders", -3);
        assertThat(TopicStateLayout.topic(examine)).isEqualTo("órders");
        assertThat(TopicStateLayout.firstPartition(examine)).isEqualTo(-3);
        assertThat(TopicStateLayout.state(examined()))
                .isEqualTo(new TopicState(7, 6L << 40, OWN_OPTIONS, OPTIONS, STATES));
        assertThat(TopicStateLayout.partitions(examined())).isEqualTo(900);
    }

    @Test
    void shouldDescribeAsManyPartitionsAsAMessageCanHave() {
        TopicState.Partition longest = new TopicState.Partition(1, 2, 3, 4, 5, "ó".repeat(5000), "x".repeat(5000));
        ByteBuffer message = TopicStateLayout.examined(
                1,
                new TopicState(7, 6L << 40, OWN_OPTIONS, OPTIONS, List.of()),
                900,
                Stream.generate(() -> longest).iterator(),
                16_376);
        assertThat(message.remaining()).isLessThanOrEqualTo(16_376);
        assertThat(TopicStateLayout.state(message).partitions()).hasSizeGreaterThan(10);
    }

    private static ByteBuffer slots() {
        return ByteBuffer.wrap("s".repeat(32).getBytes(US_ASCII));
    }

    @Test
    void shouldReadTheMessagesOfConsumers() {
        ByteBuffer open = SegmentMessageLayout.open(8, "órders", 1L << 40, -4, StartKind.EARLIEST, Long.MIN_VALUE);
        assertThat(LogMessageLayout.type(open)).isEqualTo(LogMessageType.OPEN);
        assertThat(SegmentMessageLayout.openTopic(open)).isEqualTo("órders");
        assertThat(SegmentMessageLayout.openTopicId(open)).isEqualTo(1L << 40);
        assertThat(SegmentMessageLayout.openPartition(open)).isEqualTo(-4);
        assertThat(SegmentMessageLayout.openKind(open)).isEqualTo(StartKind.EARLIEST);
        assertThat(SegmentMessageLayout.openValue(open)).isEqualTo(Long.MIN_VALUE);
        ByteBuffer opened = SegmentMessageLayout.opened(9, segment());
        assertThat(LogMessageLayout.type(opened)).isEqualTo(LogMessageType.OPENED);
        assertThat(SegmentMessageLayout.openedSegment(opened)).isEqualTo(segment());
        ByteBuffer close = SegmentMessageLayout.close(511);
        assertThat(LogMessageLayout.type(close)).isEqualTo(LogMessageType.CLOSE);
        assertThat(SegmentMessageLayout.slot(close)).isEqualTo(511);
    }

    private static ByteBuffer waitMessage() {
        ByteBuffer wait = WaitMessageLayout.begin(2);
        WaitMessageLayout.add(wait, 511, 1L << 40);
        WaitMessageLayout.add(wait, -1, Long.MIN_VALUE);
        return wait.flip();
    }

    @Test
    void shouldReadTheMessagesOfConsumersThatWait() {
        ByteBuffer wait = waitMessage();
        assertThat(LogMessageLayout.type(wait)).isEqualTo(LogMessageType.WAIT);
        assertThat(WaitMessageLayout.count(wait)).isEqualTo(2);
        assertThat(WaitMessageLayout.slot(wait, 0)).isEqualTo(511);
        assertThat(WaitMessageLayout.offset(wait, 0)).isEqualTo(1L << 40);
        assertThat(WaitMessageLayout.slot(wait, 1)).isEqualTo(-1);
        assertThat(WaitMessageLayout.offset(wait, 1)).isEqualTo(Long.MIN_VALUE);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> WaitMessageLayout.count(waitMessage().limit(21)))
                .withMessageContaining("1 extra bytes");
        assertThat(LogMessageLayout.type(WaitMessageLayout.ready())).isEqualTo(LogMessageType.READY);
    }

    @Test
    void shouldReadTheMessagesOfLeases() {
        ByteBuffer acquire = LeaseMessageLayout.acquire(7, 8, -9, LeaseMode.SHARED, 1L << 40);
        assertThat(LogMessageLayout.type(acquire)).isEqualTo(LogMessageType.ACQUIRE);
        assertThat(LeaseMessageLayout.bufferId(acquire)).isEqualTo(8);
        assertThat(LeaseMessageLayout.partitionToAcquire(acquire)).isEqualTo(-9);
        assertThat(LeaseMessageLayout.modeToAcquire(acquire)).isEqualTo(LeaseMode.SHARED);
        assertThat(LeaseMessageLayout.producerToAcquire(acquire)).isEqualTo(1L << 40);
        ByteBuffer grant = ByteBuffer.allocate(32).putLong(0, 5).putLong(24, 6);
        ByteBuffer exclusive = LeaseMessageLayout.acquired(10, grant, null);
        assertThat(LogMessageLayout.type(exclusive)).isEqualTo(LogMessageType.ACQUIRED);
        assertThat(LeaseMessageLayout.acquiredGrant(exclusive)).isEqualTo(grant);
        assertThat(LeaseMessageLayout.acquiredWord(exclusive)).isNull();
        ByteBuffer word = ByteBuffer.allocate(32).putLong(0, 7).putLong(24, 8);
        ByteBuffer shared = LeaseMessageLayout.acquired(10, grant, word);
        assertThat(LeaseMessageLayout.acquiredGrant(shared)).isEqualTo(grant);
        assertThat(LeaseMessageLayout.acquiredWord(shared)).isEqualTo(word);
    }

    private static boolean rejects(Consumer<ByteBuffer> reader, ByteBuffer message) {
        try {
            reader.accept(message);
            return false;
        } catch (TransportException e) {
            if (e.code() != TransportException.Code.PROTOCOL) {
                throw e;
            }
            return true;
        }
    }

    private static List<byte[]> validMessages() {
        List<byte[]> messages = new ArrayList<>();
        for (ByteBuffer each : List.of(
                TopicMessageLayout.describe(1, "a"),
                TopicMessageLayout.described(
                        2,
                        List.of(new TopicEntry("a", 1, 0), new TopicEntry("b", 2, 1))
                                .iterator(),
                        100),
                waitMessage(),
                TopicMessageLayout.create(3, NEW_TOPIC),
                TopicMessageLayout.created(4),
                LogMessageLayout.refused(5, new RefusedRequest(LogRefusal.LIMIT, "problem", "remedy")),
                ProduceMessageLayout.produce(6, 1, "topic"),
                ProduceMessageLayout.producing(7, 1, 2, 3, 4),
                SegmentMessageLayout.open(8, "topic", 9, 4, StartKind.TIME, 5),
                SegmentMessageLayout.opened(9, segment()),
                SegmentMessageLayout.close(6),
                LeaseMessageLayout.acquire(7, 8, 9, LeaseMode.EXCLUSIVE, 10),
                LeaseMessageLayout.acquired(10, ByteBuffer.allocate(32), null),
                LeaseMessageLayout.acquired(10, ByteBuffer.allocate(32), ByteBuffer.allocate(32)),
                TopicStateLayout.delete(11, "topic"),
                TopicStateLayout.deleted(12),
                TopicStateLayout.examine(13, "topic", 3),
                examined())) {
            byte[] bytes = new byte[each.remaining()];
            each.get(bytes);
            messages.add(bytes);
        }
        return messages;
    }

    @Test
    void shouldRejectUnknownTypesAndTrailingBytes() {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> LogMessageLayout.type(ByteBuffer.wrap(new byte[] {99, 0, 0, 0, 0, 0, 0, 1})))
                .withMessageContaining("malformed message of rocketlog's protocol: unknown type");
        ByteBuffer longer = ByteBuffer.allocate(40).put(ProduceMessageLayout.produce(1, 1, "topic"));
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> ProduceMessageLayout.topic(longer.flip().limit(33)))
                .withMessageContaining("extra bytes");
    }

    @ParameterizedTest
    @EnumSource(BatchVerdict.class)
    void shouldGiveTheReasonOfEachVerdict(BatchVerdict verdict) {
        long result = AppendResult.rejected(verdict);
        assertThat(AppendResult.reason(result)).contains(verdict.reason());
        assertThat(AppendResult.isTemporary(result)).isFalse();
    }

    @Test
    void shouldHaveAReasonForEveryResult() {
        for (long result = -200; result < 0; result++) {
            assertThat(AppendResult.reason(result)).isNotEmpty();
        }
        assertThat(AppendResult.reason(Long.MIN_VALUE)).contains("result=" + Long.MIN_VALUE);
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            assertThat(AppendResult.reason(random.nextLong() | Long.MIN_VALUE)).isNotEmpty();
        }
    }
}

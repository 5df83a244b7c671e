package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MappedFile;
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
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a consumer of a broker whose words and bytes are arbitrary. The consumer reads the broker's memory directly,
 * because only this is fast enough for many inputs.
 */
@Timeout(600)
final class HostileWordsTest {
    private static final int SEGMENT = 4096;
    /** Number of inputs for each reader. */
    private static final int INPUTS = 256;
    /** Number of readers for each connection, on which the broker can grant memory a limited number of times. */
    private static final int READERS = 64;

    @TempDir
    Path folder;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private MappedFile slots;
    private MappedFile memory;
    private ByteBuffer words;
    private int ringSegmentLength;
    private RocketBufs rocketBufs;
    private LogClientSettings settings;
    private int records;

    private final RecordCallback callback = (partition, offset, timestamp, key, value) -> {
        records++;
        int length = (key == null ? 0 : key.remaining()) + (value == null ? 0 : value.remaining());
        if (length > SEGMENT) {
            throw new AssertionError("a record of " + length + " bytes");
        }
        return true;
    };

    @BeforeEach
    void start() throws IOException {
        RunningLogBroker.assume("shm", folder);
        System.out.println("seed " + seed);
        slots = MappedFile.memory("slots", SlotLayout.LENGTH);
        memory = MappedFile.memory("segment", RingLayout.length(SEGMENT));
        words = memory.region().window(0, RingLayout.WORDS_LENGTH);
        Config config = RunningLogBroker.config(folder, "rocketbufs.transport = shm");
        rocketBufs = RocketBufs.open(config);
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(
                connection -> connection.setControlMessageCallback(message -> onMessage(connection, message)));
        settings = LogClientSettings.from(config).withBroker(listener.address());
    }

    @AfterEach
    void end() {
        if (rocketBufs != null) { // null if the test was skipped
            rocketBufs.close();
            slots.close();
            memory.close();
        }
        pool.close();
    }

    private void onMessage(Connection connection, ByteBuffer message) {
        if (LogMessageLayout.type(message) == LogMessageType.OPEN) {
            long offset = Math.max(0, SegmentMessageLayout.openValue(message));
            connection.sendControlMessage(SegmentMessageLayout.opened(
                    LogMessageLayout.correlation(message),
                    new OpenedSegment(
                            0,
                            1,
                            0,
                            offset,
                            0,
                            offset,
                            0,
                            ringSegmentLength,
                            grant(connection, memory.region()),
                            grant(connection, slots.region()),
                            1)));
        }
    }

    private static ByteBuffer grant(Connection connection, Region region) {
        return connection
                .grant(region, 0, region.length(), Set.of(Right.READ), GrantCallback.NONE)
                .description();
    }

    /** One input: words that the reader applies. */
    private interface Input {
        void read(PartitionReader reader, ConsumerLink link) throws InterruptedException;
    }

    private void check(int count, Input input) throws InterruptedException {
        int rejected = 0;
        int damaged = 0;
        ConsumerLink link = null;
        PartitionReader reader = null;
        for (int i = 0; i < count; i++) {
            if (i % (INPUTS * READERS) == 0) {
                end(link, reader);
                reader = null;
                link = ConsumerLink.connect(rocketBufs, settings);
            }
            if (i % INPUTS == 0) {
                end(null, reader);
                reader = new PartitionReader(
                        new TopicIdentity("orders"), 0, ConsumerStart.EARLIEST, GapPolicy.SKIP, pool, SEGMENT);
                storeBatches();
                reader.open(link);
            }
            try {
                input.read(reader, link);
            } catch (TransportException e) {
                assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL);
                assertThat(e).hasMessageContaining("invalid position from the broker: position=");
                rejected++;
            } catch (LogClientException e) {
                assertThat(e.code()).isEqualTo(LogClientException.Code.DAMAGED);
                damaged++;
            }
        }
        end(link, reader);
        System.out.println(rejected + " rejected, " + damaged + " damaged, " + records + " records");
        assertThat(rejected).isGreaterThan(count / 100);
        assertThat(damaged).isPositive();
        assertThat(records).isPositive();
    }

    private static void end(ConsumerLink link, PartitionReader reader) {
        if (reader != null) {
            reader.release();
        }
        if (link != null) {
            link.close();
        }
    }

    private void storeBatches() {
        if (ringSegmentLength == 0) {
            storeBatches(memory.region().window(0, (int) memory.region().length()));
            return;
        }
        for (int i = 0; i < RingLayout.SEGMENTS; i++) {
            storeBatches(memory.region().window(RingLayout.segment(i, SEGMENT), SEGMENT));
        }
    }

    /** Stores batches, beginning with offset 0, in which a few bytes are wrong. */
    private void storeBatches(ByteBuffer bytes) {
        long offset = 0;
        while (bytes.remaining() > 1000) {
            int batch = bytes.position();
            BatchBuilder builder = new BatchBuilder().begin(bytes);
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                builder.add(1, null, ByteBuffer.allocate(random.nextInt(100)));
            }
            builder.finish();
            RecordBatchLayout.assign(bytes, batch, offset, 0);
            offset += count;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            bytes.put(random.nextInt(1 << 8 + random.nextInt(5)), (byte) random.nextInt());
        }
    }

    /** Returns any word. Often returns small positive numbers, which can be positions. */
    private long word() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt(2 * SEGMENT);
            case 2 -> random.nextInt(300);
            default -> random.nextLong() >> random.nextInt(Long.SIZE);
        };
    }

    private void readAnySlot(PartitionReader reader, ConsumerLink link) throws InterruptedException {
        reader.open(link);
        long word = word();
        long ended = 1L << 62;
        reader.onWord(random.nextInt(100) == 0 ? word | ended : word & ~ended); // an ended segment is opened again
        readOn(reader, link);
    }

    private void readAnyRing(PartitionReader reader, ConsumerLink link) throws InterruptedException {
        for (int i = random.nextInt(4); i >= 0; i--) {
            words.putLong(random.nextInt(RingLayout.WORDS_LENGTH / Long.BYTES) * Long.BYTES, word());
        }
        if (random.nextInt(4) == 0) {
            int segment = random.nextInt(RingLayout.SEGMENTS);
            RingLayout.begin(words, segment, reader.nextOffset());
            RingLayout.publish(words, segment, random.nextInt(SEGMENT));
        }
        readOn(reader, link);
    }

    private void readOn(PartitionReader reader, ConsumerLink link) throws InterruptedException {
        reader.post(link);
        link.awaitReads();
        reader.arrived();
        reader.handOn(callback);
    }

    @Test
    void shouldReadNothingBeyondTheSegmentRegardlessOfTheWordInItsSlot() throws Exception {
        check(20_000, this::readAnySlot);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void shouldReadNothingBeyondTheSegmentForMillionsOfWords() throws Exception {
        check(5_000_000, this::readAnySlot);
    }

    @Test
    void shouldReadNothingBeyondTheRingRegardlessOfItsWords() throws Exception {
        ringSegmentLength = SEGMENT;
        check(20_000, this::readAnyRing);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void shouldReadNothingBeyondTheRingForMillionsOfWords() throws Exception {
        ringSegmentLength = SEGMENT;
        check(5_000_000, this::readAnyRing);
    }
}

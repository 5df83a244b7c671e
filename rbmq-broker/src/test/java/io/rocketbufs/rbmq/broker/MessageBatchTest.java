package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Segment;
import io.rocketbufs.Segments;
import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the marked copies that a group makes of messages, in a buffer of 100 bytes. */
@Tag("once")
final class MessageBatchTest {
    private static final int CAPACITY = 100;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final Region region = pool.allocate(CAPACITY);
    private final CircularBuffer memory = new CircularBuffer(region, CAPACITY);
    private final Region copyRegion = pool.allocate(CAPACITY);
    private final CircularBuffer copyMemory = new CircularBuffer(copyRegion, CAPACITY);
    private final MessageBatch batch = new MessageBatch(4);

    @AfterEach
    void free() {
        region.release();
        copyRegion.release();
        pool.close();
    }

    private Segment range(long position, byte... bytes) {
        Segment range = Segments.writable(memory, position, bytes.length);
        range.put(0, bytes, 0, bytes.length);
        return range;
    }

    private byte[] copy(long position) {
        int length = (int) batch.copyLength();
        Segment to = Segments.writable(copyMemory, position, length);
        batch.copyTo(to, new long[4]);
        byte[] copied = new byte[length];
        to.get(0, copied, 0, length);
        return copied;
    }

    private static byte[] messages(String... texts) {
        ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        for (String text : texts) {
            bytes.putInt(text.length()).put(text.getBytes());
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 90, 92, 94, 97, 99})
    void shouldCopyMessagesWhereverTheyWrap(long position) {
        byte[] bytes = messages("one", "", "three");
        assertThat(batch.find(range(position, bytes), 4, 100)).isTrue();
        assertThat(batch.count()).isEqualTo(3);
        assertThat(batch.length()).isEqualTo(bytes.length);
        assertThat(copy(95)).containsExactly(bytes);
    }

    @Test
    void shouldFindNoMoreThanTheLimitsAllow() {
        byte[] bytes = messages("a", "b", "c", "d", "e");
        assertThat(batch.find(range(0, bytes), 4, 100)).isTrue();
        assertThat(batch.count()).isEqualTo(4);
        assertThat(batch.find(range(0, bytes), 2, 100)).isTrue();
        assertThat(batch.length()).isEqualTo(10);
        assertThat(batch.find(range(0, bytes), 4, 12)).isTrue();
        assertThat(batch.length()).isEqualTo(10);
        assertThat(batch.find(range(0, bytes), 4, 1)).isTrue();
        assertThat(batch.count()).isEqualTo(1);
    }

    @Test
    void shouldStopBeforeALengthThatLies() {
        assertThat(batch.find(range(0, (byte) 0, (byte) 0, (byte) 0, (byte) 2, (byte) 'a'), 4, 100))
                .isFalse();
        assertThat(batch.find(range(0, (byte) 0x7f, (byte) -1, (byte) -1, (byte) -1), 4, 100))
                .isFalse();
        assertThat(batch.find(range(0, (byte) -1, (byte) -1, (byte) -1, (byte) -1), 4, 100))
                .isFalse();
        assertThat(batch.find(range(0, (byte) 0, (byte) 0, (byte) 0), 4, 100)).isFalse();
        byte[] second = messages("a", "bb");
        assertThat(batch.find(range(97, Arrays.copyOf(second, second.length - 1)), 4, 100))
                .isTrue();
        assertThat(batch.length()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 93, 95, 98})
    void shouldMarkMessagesWithAndWithoutHeaders(long position) {
        byte[] bytes = {0, 0, 0, 1, 'a', (byte) 0x80, 0, 0, 7, 0, 4, (byte) 0x80 | 4, 0, 1, '9', 'b'};
        assertThat(batch.find(range(position, bytes), 4, 100)).isTrue();
        batch.mark(CAPACITY);
        byte mark = (byte) (0x80 | 5);
        assertThat(copy(96))
                .containsExactly(
                        (byte) 0x80,
                        0,
                        0,
                        6,
                        0,
                        3,
                        mark,
                        0,
                        0,
                        'a', // without headers
                        (byte) 0x80,
                        0,
                        0,
                        10,
                        0,
                        7,
                        mark,
                        0,
                        0,
                        (byte) 0x84,
                        0,
                        1,
                        '9',
                        'b');
        // A message that is already marked keeps its mark.
        byte[] marked = {(byte) 0x80, 0, 0, 6, 0, 3, mark, 0, 0, 'a'};
        assertThat(batch.find(range(position, marked), 4, 100)).isTrue();
        batch.mark(CAPACITY);
        assertThat(copy(0)).containsExactly(marked);
    }

    @Test
    void shouldNotMarkWhatWouldBeTooLong() {
        byte[] bytes = messages("a".repeat(12));
        assertThat(batch.find(range(0, bytes), 4, 100)).isTrue();
        batch.mark(20);
        assertThat(copy(0)).containsExactly(bytes);
        batch.mark(21);
        assertThat(copy(0)).hasSize(21);
    }

    @Test
    void shouldFindMalformedHeaders() {
        byte[][] malformed = {
            {(byte) 0x80, 0, 0, 0},
            {(byte) 0x80, 0, 0, 1, 0},
            {(byte) 0x80, 0, 0, 2, 0, 0},
            {(byte) 0x80, 0, 0, 5, 0, 9, 1, 'k', 0},
            {(byte) 0x80, 0, 0, 5, 0, 3, 1, 'k', 0},
            {(byte) 0x80, 0, 0, 5, 0, 3, (byte) 0x84, 0, 9},
            {(byte) 0x80, 0, 0, 5, -1, -1, -1, -1, -1},
            {(byte) 0x80, 0, 0, 5, 0, 3, 0, 0, 0},
            {(byte) 0x80, 0, 0, 6, 0, 4, 1, -1, 0, 0},
        };
        for (byte[] each : malformed) {
            assertThat(batch.find(range(98, each), 4, 100)).isFalse();
            assertThat(batch.problem()).startsWith("its headers do not consist of 1 to 255 keys and values");
        }
    }
}

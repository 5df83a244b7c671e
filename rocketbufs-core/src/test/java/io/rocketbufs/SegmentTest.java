package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentTest {
    private static final long START = 1L << 33;

    private final MemoryPool pool = new MemoryPool(1 << 16);

    @AfterEach
    void closePool() {
        pool.close();
    }

    private CircularBuffer memory(int capacity) {
        return new CircularBuffer(pool.allocate(capacity), capacity);
    }

    /**
     * Returns a segment that covers the whole buffer and starts at the given offset, which determines where the segment
     * wraps.
     */
    private Segment whole(CircularBuffer memory, int offset) {
        long position = START + offset;
        return Segment.over(5, memory, false).set(position, memory.capacity());
    }

    /** Returns the contents of a segment, read byte by byte. */
    private static ByteBuffer model(Segment segment) {
        byte[] bytes = new byte[(int) segment.length()];
        new Random(segment.position()).nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            segment.putByte(i, bytes[i]);
        }
        return ByteBuffer.wrap(bytes);
    }

    private static byte[] content(Segment segment) {
        byte[] bytes = new byte[(int) segment.length()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = segment.getByte(i);
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {13, 16})
    void shouldReadNumbersAtEveryIndexAndWrapOffset(int capacity) {
        for (int offset = 0; offset < capacity; offset++) {
            Segment segment = whole(memory(capacity), offset);
            ByteBuffer model = model(segment);
            for (int index = 0; index < capacity; index++) {
                assertThat(segment.getByte(index)).isEqualTo(model.get(index));
                if (index <= capacity - Integer.BYTES) {
                    assertThat(segment.getInt(index)).isEqualTo(model.getInt(index));
                }
                if (index <= capacity - Long.BYTES) {
                    assertThat(segment.getLong(index)).isEqualTo(model.getLong(index));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {13, 16})
    void shouldWriteNumbersAtEveryIndexAndWrapOffset(int capacity) {
        for (int offset = 0; offset < capacity; offset++) {
            Segment segment = whole(memory(capacity), offset);
            ByteBuffer model = model(segment);
            for (int index = 0; index <= capacity - Long.BYTES; index++) {
                segment.putLong(index, 0x0102030405060708L * (index + 1));
                model.putLong(index, 0x0102030405060708L * (index + 1));
                segment.putInt(index + 1, ~index);
                model.putInt(index + 1, ~index);
                assertThat(content(segment)).isEqualTo(model.array());
            }
        }
    }

    @Test
    void shouldCopyEveryRangeAtEveryWrapOffset() {
        int capacity = 11;
        byte[] source = "abcdefghijklmnopqrstuvwxyz".getBytes();
        for (int offset = 0; offset < capacity; offset++) {
            Segment segment = whole(memory(capacity), offset);
            ByteBuffer model = model(segment);
            for (int index = 0; index <= capacity; index++) {
                for (int count = 0; count <= capacity - index; count++) {
                    assertCopies(segment, model, index, count, source);
                }
            }
        }
    }

    private static void assertCopies(Segment segment, ByteBuffer model, int index, int count, byte[] source) {
        byte[] out = new byte[count + 4];
        segment.get(index, out, 2, count);
        assertThat(Arrays.copyOfRange(out, 2, 2 + count))
                .isEqualTo(Arrays.copyOfRange(model.array(), index, index + count));
        assertThat(out[0] | out[1] | out[count + 2] | out[count + 3]).isZero();
        segment.put(index, source, 3, count);
        model.put(index, source, 3, count);
        assertThat(content(segment)).isEqualTo(model.array());
        segment.put(index, ByteBuffer.wrap(source), 5, count);
        model.put(index, source, 5, count);
        assertThat(content(segment)).isEqualTo(model.array());
    }

    @Test
    void shouldExposeItsBytesAsOneOrTwoVecs() {
        CircularBuffer memory = memory(10);
        for (int offset = 0; offset < 10; offset++) {
            for (int length = 1; length <= 10; length++) {
                int at = (int) memory.offset(START + offset);
                Segment segment = Segment.over(5, memory, false).set(START + offset, length);
                assertThat(segment.vecCount()).isEqualTo(at + length > 10 ? 2 : 1);
                ByteBuffer model = model(segment);
                ByteBuffer read = ByteBuffer.allocate(length);
                for (int i = 0; i < segment.vecCount(); i++) {
                    assertThat(segment.vec(i).isDirect()).isTrue();
                    read.put(segment.vec(i).duplicate());
                }
                assertThat(read.flip()).isEqualTo(model);
            }
        }
    }

    @Test
    void shouldNotDependOnThePositionsOfItsVecs() {
        Segment segment = whole(memory(10), 7);
        byte[] before = model(segment).array();
        segment.vec(0).position(segment.vec(0).limit());
        segment.vec(1).position(segment.vec(1).limit());
        assertThat(content(segment)).isEqualTo(before);
        segment.set(START, 10);
        assertThat(segment.vec(0).remaining() + segment.vec(1).remaining()).isEqualTo(10);
    }

    @Test
    void shouldRejectEveryIndexOutside() {
        CircularBuffer memory = memory(32);
        List<Segment> segments = List.of(
                Segment.over(5, memory, false).set(64 + 4, 20), // one vec, surrounded by other bytes
                Segment.over(5, memory, false).set(64 + 20, 20)); // two vecs
        byte[] bytes = new byte[40];
        for (Segment segment : segments) {
            for (long index : new long[] {-1, 20, 21, 1L << 32, -1L << 32, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertOutside(() -> segment.getByte(index));
                assertOutside(() -> segment.putByte(index, (byte) 1));
                assertOutside(() -> segment.getInt(index));
                assertOutside(() -> segment.putInt(index, 1));
                assertOutside(() -> segment.getLong(index));
                assertOutside(() -> segment.putLong(index, 1));
                assertOutside(() -> segment.get(index, bytes, 0, 2));
                assertOutside(() -> segment.put(index, bytes, 0, 2));
                assertOutside(() -> segment.put(index, ByteBuffer.wrap(bytes), 0, 2));
            }
            assertOutside(() -> segment.getInt(17));
            assertOutside(() -> segment.putLong(13, 1));
            assertOutside(() -> segment.get(0, bytes, 0, 21));
            assertOutside(() -> segment.get(0, bytes, 0, -1));
            assertOutside(() -> segment.put(19, bytes, 0, 2));
            assertOutside(() -> segment.vec(segment.vecCount()));
            assertOutside(() -> segment.vec(-1));
        }
    }

    private static void assertOutside(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void shouldWriteNoPartOfANumberThatDoesNotFit() {
        Segment segment = Segment.over(5, memory(16), false).set(START + 10, 10);
        byte[] before = model(segment).array();
        assertOutside(() -> segment.putLong(4, -1));
        assertOutside(() -> segment.putInt(8, -1));
        assertOutside(() -> segment.put(5, new byte[6], 0, 6));
        assertThat(content(segment)).isEqualTo(before);
    }

    @Test
    void shouldBeReadOnlyForReceivedData() {
        Segment segment = Segment.over(5, memory(16), true).set(START + 10, 10);
        assertThatThrownBy(() -> segment.putByte(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
        assertThatThrownBy(() -> segment.putLong(2, 1)).isInstanceOf(ReadOnlyBufferException.class);
        assertThatThrownBy(() -> segment.put(8, new byte[1], 0, 1)).isInstanceOf(ReadOnlyBufferException.class);
        assertThat(segment.vec(0).isReadOnly()).isTrue();
        assertThat(segment.getLong(2)).isZero();
    }

    @Test
    void shouldDescribeItself() {
        Segment segment = Segment.over(5, memory(16), false).set(START + 10, 10);
        assertThat(segment.bufferId()).isEqualTo(5);
        assertThat(segment.position()).isEqualTo(START + 10);
        assertThat(segment.length()).isEqualTo(10);
        assertThat(segment).hasToString("segment of buffer 5 position=8589934602 length=10");
    }

    @Test
    void shouldHaveNoVecsWhenRefused() {
        for (Segment none : List.of(
                Segment.NO_SPACE, Segment.NO_RECORD, Segment.WRITES_PENDING, Segment.CLOSED, Segment.INTERRUPTED)) {
            assertThat(none.vecCount()).isEqualTo(-1);
            assertThat(none.length()).isZero();
            assertOutside(() -> none.vec(0));
            assertOutside(() -> none.getByte(0));
            assertOutside(() -> none.putInt(0, 1));
        }
        assertThat(Segment.NO_SPACE).hasToString("NO_SPACE");
    }

    @Test
    void shouldReachBeyondTwoGigabytes() {
        assumeTrue(pool.kind().equals("mmap"), "memory is " + pool.kind());
        long capacity = 5L << 30;
        CircularBuffer memory = new CircularBuffer(pool.allocate(capacity), capacity);
        for (long offset : new long[] {0, (1L << 30) - 3, (2L << 30) - 3, (4L << 30) + 1, capacity - 3}) {
            Segment segment = Segment.over(5, memory, false).set(capacity + offset, 1 << 20);
            segment.putLong(0, offset);
            segment.putLong((1 << 20) - 8, ~offset);
            assertThat(segment.getLong(0)).isEqualTo(offset);
            assertThat(segment.getLong((1 << 20) - 8)).isEqualTo(~offset);
            Segment same = Segment.over(5, memory, true).set(offset, 1 << 20);
            assertThat(same.getLong(0)).isEqualTo(offset);
        }
    }
}

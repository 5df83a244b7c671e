package io.rocketbufs.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CircularBufferTest {
    private static final long FIVE_GIB = 5L << 30;
    private static final int MIB = 1 << 20;
    private static final int KEPT_LENGTH = 64 << 10;
    private static final long SECOND_NS = 1_000_000_000;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private long nowNs;

    @AfterEach
    void closePool() {
        pool.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 100, 4096, 5000})
    void shouldReducePositionsModuloTheCapacity(int capacity) {
        CircularBuffer buffer = buffer(capacity);
        for (long base : new long[] {0, 1L << 31, 1L << 40, Long.MAX_VALUE - 4L * capacity}) {
            for (long position = base; position < base + 3L * capacity; position++) {
                assertThat(buffer.offset(position)).isEqualTo(position % capacity);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 13})
    void shouldCoverEveryRangeAtEveryOffset(int capacity) {
        CircularBuffer buffer = buffer(capacity);
        for (int position = 0; position < 2 * capacity; position++) {
            for (int length = 0; length <= capacity; length++) {
                assertRange(buffer, position, length);
            }
        }
    }

    @Test
    void shouldCoverRandomRangesOfALongBuffer() {
        assumeMmap();
        CircularBuffer buffer = buffer(FIVE_GIB + 123);
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            long position = random.nextLong() & Long.MAX_VALUE;
            long length = 1 + (long) (random.nextDouble() * CircularBuffer.MAX_RANGE);
            assertThat(coversInWindows(buffer, position, length))
                    .as("seed=%d position=%d length=%d", seed, position, length)
                    .isTrue();
        }
    }

    @Test
    void shouldCoverTheLongestRangeAtEachEdgeOfAWindow() {
        assumeMmap();
        CircularBuffer buffer = buffer(FIVE_GIB + 1);
        assertThat(buffer.windowCount()).isEqualTo(6);
        for (int window = 0; window < buffer.windowCount(); window++) {
            for (long offset = buffer.windowStart(window) - 1; offset <= buffer.windowStart(window) + 1; offset++) {
                long position = Math.max(0, offset);
                assertThat(coversInWindows(buffer, position, CircularBuffer.MAX_RANGE))
                        .as("position=%d", position)
                        .isTrue();
            }
        }
    }

    @Test
    void shouldSeeTheSameMemoryInOverlappingWindows() {
        assumeMmap();
        CircularBuffer buffer = buffer(FIVE_GIB);
        for (int window = 1; window < buffer.windowCount(); window++) {
            int inLower = (int) (buffer.windowStart(window) - buffer.windowStart(window - 1));
            buffer.window(window).put(0, (byte) (window + 1));
            assertThat(buffer.window(window - 1).get(inLower)).isEqualTo((byte) (window + 1));
        }
    }

    @Test
    void shouldNeedTwoVecsOnlyWhereTheRangeWraps() {
        CircularBuffer buffer = buffer(10);
        for (int position = 0; position < 10; position++) {
            Vecs vecs = new Vecs(2);
            buffer.range(position, 10, vecs);
            assertThat(vecs.count()).isEqualTo(position == 0 ? 1 : 2);
        }
    }

    @Test
    void shouldReturnFalseWhenTheListIsFullInTheMiddle() {
        CircularBuffer buffer = buffer(10);
        Vecs vecs = new Vecs(1);
        assertThat(buffer.range(7, 5, vecs)).isFalse();
        assertThat(vecs.totalLength()).isEqualTo(3);
    }

    @Test
    void shouldMergeAdjacentRanges() {
        CircularBuffer buffer = buffer(10);
        Vecs vecs = new Vecs(2);
        assertThat(buffer.range(2, 3, vecs)).isTrue();
        assertThat(buffer.range(5, 7, vecs)).isTrue();
        assertThat(vecs.count()).isEqualTo(2);
        assertThat(vecs.length(0)).isEqualTo(8);
        assertThat(vecs.length(1)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 13})
    void shouldStartAtTheFirstByteAfterARewind(int capacity) {
        CircularBuffer buffer = buffer(capacity);
        for (long origin : new long[] {0, 5, 1L << 40}) {
            buffer.rewind(origin);
            for (long position = origin; position < origin + 3L * capacity; position++) {
                assertThat(buffer.offset(position)).isEqualTo((position - origin) % capacity);
            }
            Vecs vecs = new Vecs(2);
            buffer.range(origin, capacity, vecs);
            assertThat(vecs.count()).isEqualTo(1);
        }
    }

    @Test
    void shouldRequestARewindPeriodically() {
        CircularBuffer buffer = buffer(10);
        int count = 0;
        for (long position = 0; position < 1 << 20; position += 64) {
            count += buffer.isRewindDue(position) ? 1 : 0;
        }
        assertThat(count).isBetween(16, 256);
    }

    @Test
    void shouldRequestNoRewindOfABufferThatKeepsItsBytes() {
        CircularBuffer buffer = buffer(10);
        buffer.neverRewind();
        assertThat(buffer.isRewindDue(1L << 40)).isFalse();
    }

    @Test
    void shouldReturnPagesThatItHasNotUsedForASecond() {
        assumeMmap();
        CircularBuffer buffer = filled(MIB);
        assertThat(buffer.returnPages(MIB)).isZero();
        nowNs += SECOND_NS - 1;
        assertThat(buffer.returnPages(MIB)).isZero();
        nowNs++;
        long returned = 0;
        while (buffer.usesMuch(MIB)) {
            long step = buffer.returnPages(MIB);
            assertThat(step).isBetween(1L, 256L << 10);
            returned += step;
        }
        assertThat(returned).isEqualTo(MIB - KEPT_LENGTH);
        assertThat(writtenLength(buffer)).isEqualTo(KEPT_LENGTH);
    }

    @Test
    void shouldReturnNoPagesThatItHasUsedWithinTheLastSecond() {
        assumeMmap();
        CircularBuffer buffer = filled(MIB);
        long position = MIB;
        for (int i = 0; i < 10; i++) {
            nowNs += SECOND_NS - 1;
            position += KEPT_LENGTH + 1;
            assertThat(buffer.returnPages(position)).isZero();
        }
        assertThat(writtenLength(buffer)).isEqualTo(MIB);
    }

    @Test
    void shouldReturnEachPageOnceHoweverLittleIsUsedAfterwards() {
        assumeMmap();
        CircularBuffer buffer = filled(KEPT_LENGTH + 1);
        buffer.rewind(KEPT_LENGTH + 1);
        nowNs += SECOND_NS;
        assertThat(buffer.returnPages(2 * KEPT_LENGTH + 1)).isEqualTo(pageLength(buffer, KEPT_LENGTH + 1));
        assertThat(buffer.usesMuch(3 * KEPT_LENGTH + 1)).isFalse();
        assertThat(buffer.returnPages(3 * KEPT_LENGTH + 1)).isZero();
    }

    @Test
    void shouldReturnNoPagesThatADeviceHasRegistered() {
        CircularBuffer buffer = filled(MIB);
        buffer.region().slab().beginRegistration();
        buffer.rewind(MIB);
        nowNs += SECOND_NS;
        assertThat(buffer.returnPages(MIB)).isZero();
        assertThat(buffer.usesMuch(MIB)).isFalse();
        assertThat(writtenLength(buffer)).isEqualTo(MIB);
        buffer.region().slab().endRegistration();
    }

    @Test
    void shouldNeverReturnPagesOfABufferThatKeepsItsBytes() {
        CircularBuffer buffer = filled(MIB);
        buffer.neverRewind();
        buffer.touch(MIB);
        assertThat(buffer.usesMuch(MIB)).isFalse();
        assertThat(buffer.hasTouched()).isFalse();
    }

    /** Covers ranges at the start, in the middle, at the end and across the end, and one that is the whole memory. */
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 64", "300, 100", "640, 64", "900, 123", "900, 124", "960, 128", "1000, 200", "500, 1024"})
    void shouldReturnOnlyPagesOutsideARangeInUse(int startKib, int lengthKib) {
        assumeMmap();
        CircularBuffer buffer = filled(MIB);
        buffer.touch(MIB);
        nowNs += SECOND_NS;
        long start = (startKib << 10) + 1L;
        long end = start + (lengthKib << 10) - 2;
        while (buffer.hasTouched()) {
            assertThat(buffer.returnPagesOutside(start, end)).isBetween(0L, 256L << 10);
        }
        for (int step = 0; step < MIB; step += KEPT_LENGTH) {
            boolean kept = step == 0
                    || start < step + KEPT_LENGTH && end > step
                    || start < MIB + step + KEPT_LENGTH && end > MIB + step;
            for (int offset = step; offset < step + KEPT_LENGTH; offset += 4096) {
                assertThat(buffer.window(0).get(offset)).as("offset %d", offset).isEqualTo((byte) (kept ? 1 : 0));
            }
        }
    }

    /** Returns a buffer whose memory has been written completely. */
    private CircularBuffer filled(int capacity) {
        CircularBuffer buffer = new CircularBuffer(pool.allocate(capacity), capacity, () -> nowNs);
        for (int offset = 0; offset < capacity; offset++) {
            buffer.window(0).put(offset, (byte) 1);
        }
        return buffer;
    }

    private static long pageLength(CircularBuffer buffer, long used) {
        return Math.min(buffer.region().length(), used + KEPT_LENGTH - 1) - KEPT_LENGTH;
    }

    private static int writtenLength(CircularBuffer buffer) {
        int length = 0;
        while (length < buffer.capacity() && buffer.window(0).get(length) == 1) {
            length++;
        }
        return length;
    }

    @Test
    void shouldRejectACapacityLargerThanTheRegion() {
        Region region = pool.allocate(4096);
        assertThatThrownBy(() -> new CircularBuffer(region, 4097))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity=4097");
        assertThatThrownBy(() -> new CircularBuffer(region, 0)).hasMessageContaining("capacity=0");
    }

    private CircularBuffer buffer(long capacity) {
        return new CircularBuffer(pool.allocate(capacity), capacity);
    }

    private void assumeMmap() {
        assumeTrue(pool.kind().equals("mmap"), "memory is " + pool.kind());
    }

    /** Compares each byte of the vecs with the expected value: the position modulo the capacity. */
    private static void assertRange(CircularBuffer buffer, long position, int length) {
        Vecs vecs = new Vecs(2);
        assertThat(buffer.range(position, length, vecs)).isTrue();
        assertThat(vecs.totalLength()).isEqualTo(length);
        int seen = 0;
        for (int i = 0; i < vecs.count(); i++) {
            for (int at = 0; at < vecs.length(i); at++, seen++) {
                long offset = (position + seen) % buffer.capacity();
                assertThat(vecs.offset(i) + at).isEqualTo((int) offset);
                assertThat(vecs.address(i) + at).isEqualTo(buffer.region().address() + offset);
            }
        }
        assertThat(seen).isEqualTo(length);
    }

    /** Returns true if each vec lies within its window and has the right addresses. Does not touch any page. */
    private static boolean coversInWindows(CircularBuffer buffer, long position, long length) {
        Vecs vecs = new Vecs(2);
        boolean right = buffer.range(position, length, vecs) && vecs.totalLength() == length;
        long seen = 0;
        for (int i = 0; i < vecs.count(); i++) {
            long offset = (position + seen) % buffer.capacity();
            ByteBuffer window = buffer.window(buffer.windowIndex(offset));
            right &= vecs.window(i) == window
                    && buffer.windowStart(buffer.windowIndex(offset)) + vecs.offset(i) == offset
                    && vecs.length(i) <= window.capacity() - vecs.offset(i)
                    && vecs.address(i) == buffer.region().address() + offset;
            seen += vecs.length(i);
        }
        return right && seen == length;
    }
}

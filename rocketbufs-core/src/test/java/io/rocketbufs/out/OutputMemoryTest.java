package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that determine which pages output buffers return to the system. Returned pages read as zero. */
@Timeout(600)
class OutputMemoryTest {
    private static final int CAPACITY = 1 << 20;
    private static final int KEPT_LENGTH = (int) CircularBuffer.KEPT_LENGTH;
    private static final int LENGTH = 10_000;
    private static final long SECOND_NS = 1_000_000_000;
    /** Upper bound of what an empty buffer keeps: its first pages, and its claim rounded to multiples of 64 KiB. */
    private static final int MOST_KEPT = 4 * KEPT_LENGTH + LENGTH;

    private final MemoryPool pool = new MemoryPool(16 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubSubscriber reader = new StubSubscriber(pool, worker);
    private final StubSubscriber slow = new StubSubscriber(pool, worker).stopped();
    private final Set<OutputMemory> touched = new HashSet<>();
    private int bufferCount;
    private long nowNs;
    private long released;

    @BeforeEach
    void assumeMmap() {
        assumeTrue(pool.kind().equals("mmap"), "memory is " + pool.kind());
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private OutputBuffer create(StubSubscriber subscriber) {
        OutputBuffer buffer = reader.outputs.create(++bufferCount, CAPACITY, BufferOptions.DEFAULTS, null);
        subscriber.to(buffer.fanout(), CAPACITY);
        return buffer;
    }

    /** Returns a buffer that is full, because its subscriber accepts nothing. */
    private OutputBuffer full(StubSubscriber subscriber) {
        subscriber.stopped();
        OutputBuffer buffer = create(subscriber);
        deliver(buffer, CAPACITY);
        return buffer;
    }

    /** Returns a buffer that was full and is empty. */
    private OutputBuffer emptied() {
        OutputBuffer buffer = full(reader);
        reader.goOn();
        assertThat(reader.bytes.size()).isEqualTo(CAPACITY);
        return buffer;
    }

    private void deliver(OutputBuffer buffer, int total) {
        for (int left = total; left > 0; left -= LENGTH) {
            int length = Math.min(left, LENGTH);
            long position = reserve(buffer, length);
            buffer.deliver(position, length, length, null);
        }
        worker.run();
    }

    /** Reserves a segment, and fills it with ones. */
    private static long reserve(OutputBuffer buffer, int length) {
        long position = buffer.reserve(length);
        assertThat(position).isNotNegative();
        for (long each = position; each < position + length; each++) {
            buffer.memory().window(0).put((int) buffer.memory().offset(each), (byte) 1);
        }
        return position;
    }

    private void tick() {
        worker.run(() -> reader.endpoint.tick(250));
    }

    private void awaitReturn(OutputBuffer buffer) {
        await().until(() -> {
            tick();
            return countOnes(buffer, 0, CAPACITY) <= MOST_KEPT;
        });
    }

    /**
     * Waits until another, empty buffer has returned its pages. By then, the buffers under test would also have
     * returned theirs.
     */
    private void awaitReturnOfAnother() {
        awaitReturn(emptied());
    }

    private static int countOnes(OutputBuffer buffer, int from, int to) {
        int count = 0;
        for (int offset = from; offset < to; offset++) {
            count += buffer.memory().window(0).get(offset);
        }
        return count;
    }

    @Test
    void shouldReturnThePagesOfAnEmptyBufferWhoseProducerIsIdle() {
        OutputBuffer buffer = emptied();
        awaitReturn(buffer);
        assertThat(countOnes(buffer, 0, KEPT_LENGTH)).isEqualTo(KEPT_LENGTH);

        reader.consumeAll();
        reader.bytes.reset();
        reader.stopped();
        deliver(buffer, CAPACITY);
        reader.goOn();
        assertThat(reader.bytes.toByteArray()).hasSize(CAPACITY).doesNotContain(0);
    }

    @Test
    void shouldReturnThePagesOfAnEmptyBufferWhileItsProducerContinues() {
        OutputBuffer buffer = emptied();
        await().until(() -> {
            reader.consumeAll();
            deliver(buffer, 2 * LENGTH);
            tick();
            return countOnes(buffer, 0, CAPACITY) <= KEPT_LENGTH;
        });
    }

    @Test
    void shouldReturnThePagesOfABufferThatHasLostItsSubscription() {
        OutputBuffer buffer = full(slow);
        slow.subscription.cut();
        awaitReturn(buffer);
    }

    @Test
    void shouldKeepThePagesOfDataThatIsNotSent() {
        OutputBuffer buffer = full(slow);
        awaitReturnOfAnother();
        assertThat(countOnes(buffer, 0, CAPACITY)).isEqualTo(CAPACITY);
        slow.goOn();
        assertThat(slow.bytes.toByteArray()).hasSize(CAPACITY).doesNotContain(0);
    }

    @Test
    void shouldKeepThePagesOfAnOpenSegment() {
        int before = 5 * KEPT_LENGTH;
        int open = 200_000;
        OutputBuffer buffer = create(slow);
        deliver(buffer, before);
        long position = reserve(buffer, open);
        deliver(buffer, CAPACITY / 4);
        slow.goOn();
        awaitReturnOfAnother();
        assertThat(countOnes(buffer, KEPT_LENGTH, before)).isZero();
        assertThat(countOnes(buffer, before, before + open)).isEqualTo(open);
        buffer.deliver(position, open, open, null);
        worker.run();
        assertThat(slow.bytes.toByteArray())
                .hasSize(before + open + CAPACITY / 4)
                .doesNotContain(0);
    }

    @Test
    void shouldReturnPagesOfABufferThatHasBeenEmptyForASecond() {
        OutputMemory pages = half(pool.allocate(CAPACITY));
        nowNs += 5 * SECOND_NS;
        assertThat(pages.returnPages()).isZero();
        released = CAPACITY / 2;
        assertThat(pages.returnPages()).isZero();
        nowNs += SECOND_NS - 1;
        assertThat(pages.returnPages()).isZero();
        nowNs++;
        assertThat(pages.returnPages()).isPositive();
    }

    @Test
    void shouldNotBeListedAfterAllPagesHaveBeenReturned() {
        OutputMemory pages = half(pool.allocate(CAPACITY));
        assertThat(touched).containsExactly(pages);
        released = CAPACITY / 2;
        nowNs += SECOND_NS;
        for (int i = 0; i < CAPACITY / KEPT_LENGTH; i++) {
            pages.returnPages();
        }
        assertThat(touched).isEmpty();
        pages.claim(CAPACITY / 2, CAPACITY, CAPACITY, CAPACITY / 2);
        assertThat(touched).containsExactly(pages);
    }

    @Test
    void shouldReturnNoPagesOfMemoryThatHasBeenReleased() {
        Region region = pool.allocate(CAPACITY);
        OutputMemory pages = half(region);
        released = CAPACITY / 2;
        region.retain();
        pages.drained();
        assertThat(touched).isEmpty();
        region.window(0, CAPACITY).put(KEPT_LENGTH, (byte) 1);
        nowNs += SECOND_NS;
        assertThat(pages.returnPages()).isZero();
        assertThat(region.window(0, CAPACITY).get(KEPT_LENGTH)).isOne();
        region.release();
    }

    /** Returns memory whose first half has been delivered, and in which the producer has claimed more. */
    private OutputMemory half(Region region) {
        CircularBuffer memory = new CircularBuffer(region, CAPACITY, () -> nowNs);
        OutputMemory pages =
                new OutputMemory(memory, new OpenReservations(), position -> released >= position, touched);
        pages.claim(0, CAPACITY / 2, CAPACITY, 0);
        pages.claim(CAPACITY / 2, CAPACITY / 2 + 1, CAPACITY, CAPACITY / 2);
        return pages;
    }

    @Test
    void shouldNeverReturnAPageThatIsInUse() {
        long seed = new Random().nextLong();
        Model model = new Model(seed);
        for (int i = 0; i < 3000; i++) {
            model.step();
            assertThat(model.firstDamage()).as("seed=%d step=%d", seed, i).isEqualTo(-1);
        }
        assertThat(model.returned).as("seed=%d", seed).isGreaterThan(CAPACITY);
    }

    /**
     * A producer that claims, writes, delivers and restarts at random, and a reader. Log positions and local positions
     * are the same, because segments are delivered whole and in order.
     */
    private final class Model {
        private static final int STRIDE = 512;
        private final Random random;
        private final int capacity = CAPACITY - 5000;
        private final OpenReservations open = new OpenReservations();
        private final Queue<long[]> segments = new ArrayDeque<>();
        private final CircularBuffer memory;
        private final OutputMemory pages;
        private long reserved;
        private long delivered;
        private long returned;

        private Model(long seed) {
            random = new Random(seed);
            memory = new CircularBuffer(pool.allocate(capacity), capacity, () -> nowNs);
            pages = new OutputMemory(memory, open, position -> released >= position, touched);
        }

        private void step() {
            switch (random.nextInt(6)) {
                case 0, 1 -> reserve(1 + random.nextInt(1 << 1 + random.nextInt(18)));
                case 2 -> deliver();
                case 3 -> released += random.nextBoolean() ? delivered - released : (delivered - released) / 2;
                case 4 -> restart();
                default -> returnPages();
            }
        }

        private void reserve(int length) {
            if (reserved + length - released > capacity || open.isFull()) {
                return;
            }
            if (reserved + length > pages.claimedEnd()) {
                pages.claim(reserved, reserved + length, released + capacity, delivered);
            }
            open.add(reserved);
            segments.add(new long[] {reserved, length});
            long first = (reserved + STRIDE - 1) / STRIDE * STRIDE;
            for (long each = first; each < reserved + length; each += STRIDE) {
                memory.window(0).put((int) memory.offset(each), valueAt(each));
            }
            reserved += length;
        }

        private void deliver() {
            long[] segment = segments.poll();
            if (segment != null) {
                open.remove(1, segment[0], segment[1]);
                delivered = segment[0] + segment[1];
            }
        }

        private void restart() {
            if (open.isEmpty() && released == reserved) {
                pages.restart(reserved, delivered);
            }
        }

        private void returnPages() {
            nowNs += SECOND_NS;
            for (long length = pages.returnPages(); length > 0; length = pages.returnPages()) {
                returned += length;
            }
        }

        /** Returns the first position in use whose byte has changed; -1 if there is none. */
        private long firstDamage() {
            for (long each = (released + STRIDE - 1) / STRIDE * STRIDE; each < reserved; each += STRIDE) {
                if (memory.window(0).get((int) memory.offset(each)) != valueAt(each)) {
                    return each;
                }
            }
            return -1;
        }

        private byte valueAt(long position) {
            return (byte) (position / STRIDE | 1);
        }
    }
}

package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RegionTest {
    private static final int THREAD_COUNT = 4;

    private final MemoryPool pool = new MemoryPool(1 << 20);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void shouldReturnToThePoolWhenTheLastLeaseIsReleased() {
        Region region = pool.allocate(1);
        region.retain();
        region.release();
        assertThat(pool.allocatedLength()).isEqualTo(region.length());
        region.release();
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldRefuseToBeReleasedMoreOftenThanRetained() {
        Region region = pool.allocate(1);
        region.release();

        assertThatIllegalStateException().isThrownBy(region::release).withMessageContaining("address=");
        assertThatIllegalStateException().isThrownBy(region::retain).withMessageContaining("slab=");
        assertThatIllegalStateException().isThrownBy(() -> region.window(0, 1));
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldNotAffectTheNextRegionWhenReleasedTwice() {
        Region first = pool.allocate(1);
        first.release();
        Region second = pool.allocate(1);
        assertThat(second.address()).isEqualTo(first.address());

        assertThatIllegalStateException().isThrownBy(first::release);
        assertThat(pool.allocatedLength()).isEqualTo(second.length());
    }

    @Test
    void shouldMakeBigEndianDirectWindowsWhenInside() {
        Region region = pool.allocate(1);
        int length = (int) region.length();
        ByteBuffer window = region.window(8, length - 8);

        assertThat(window.isDirect()).isTrue();
        assertThat(window.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        assertThat(window.position()).isZero();
        assertThat(window.capacity()).isEqualTo(length - 8);
        assertThat(region.window(length, 0).capacity()).isZero();
        window.putInt(0, 0x01020304);
        assertThat(region.window(9, 2).getShort()).isEqualTo((short) 0x0203);
    }

    @Test
    void shouldRefuseAWindowWhenItIsNotInside() {
        Region region = pool.allocate(1);
        long length = region.length();
        long[][] outside = {{-1, 1}, {0, -1}, {0, length + 1}, {length, 1}, {1, length}, {Long.MAX_VALUE, 1}};
        for (long[] window : outside) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> region.window(window[0], (int) window[1]))
                    .withMessageContaining("offset=" + window[0] + ", length=" + window[1]);
        }
    }

    @Test
    @Timeout(600)
    void shouldReturnExactlyOnceWhenThreadsReleaseTheirLeases() throws Exception {
        for (int round = 0; round < 500; round++) {
            Region region = pool.allocate(1);
            for (int i = 1; i < THREAD_COUNT; i++) {
                region.retain();
            }
            inParallel(thread -> {
                for (int i = 0; i < 50; i++) {
                    region.retain();
                    region.release();
                }
                region.release();
                return null;
            });
            assertThat(pool.allocatedLength()).isZero();
            assertThatIllegalStateException().isThrownBy(region::release);
        }
    }

    @Test
    @Timeout(600)
    void shouldAllowOnlyOneReleaseWhenThreadsCompeteForTheLastLease() throws Exception {
        for (int round = 0; round < 500; round++) {
            Region region = pool.allocate(1);
            List<Boolean> succeeded = inParallel(thread -> {
                try {
                    region.release();
                    return true;
                } catch (IllegalStateException e) {
                    return false;
                }
            });
            assertThat(succeeded).containsOnlyOnce(true);
            assertThat(pool.allocatedLength()).isZero();
        }
    }

    @Test
    @Timeout(600)
    void shouldBelongToOneThreadAndReadZeroWhenThreadsAllocateAndRelease() throws Exception {
        long seed = new Random().nextLong();
        inParallel(thread -> {
            Random random = new Random(seed + thread);
            List<Region> held = new ArrayList<>();
            for (int step = 0; step < 3_000; step++) {
                if (held.size() < 8 && random.nextBoolean()) {
                    Region region = pool.allocate(1 + random.nextInt(2 * (int) UnclearedRanges.STEP_LENGTH));
                    stamp(region, 0, thread + 1);
                    held.add(region);
                } else if (!held.isEmpty()) {
                    Region region = held.remove(random.nextInt(held.size()));
                    stamp(region, thread + 1, -1);
                    region.release();
                }
            }
            held.forEach(Region::release);
            return null;
        });
        assertThat(pool.allocatedLength()).as("seed=" + seed).isZero();
    }

    @Test
    @Timeout(600)
    void shouldReclaimEveryRegionWhenThePoolIsClosedConcurrently() throws Exception {
        for (int round = 0; round < 100; round++) {
            MemoryPool closing = new MemoryPool(1 << 20);
            List<Region> outstanding = Collections.synchronizedList(new ArrayList<>());
            inParallel(thread -> {
                for (int i = 0; i < 20 + thread; i++) {
                    try {
                        outstanding.add(closing.allocate(1));
                        closing.allocate(1).release();
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessageContaining("pool is closed");
                    }
                }
                closing.close();
                return null;
            });
            assertThat(outstanding).isNotEmpty();
            outstanding.forEach(Region::release);
            assertThat(closing.allocatedLength()).isZero();
            assertThat(closing.slabCount()).isZero();
        }
    }

    private static void stamp(Region region, long expected, long stamp) {
        ByteBuffer window = region.window(0, (int) region.length());
        for (int offset = 0; offset < window.capacity(); offset += 1024) {
            assertThat(window.getLong(offset)).isEqualTo(expected);
            window.putLong(offset, stamp);
        }
    }

    private static <T> List<T> inParallel(ThreadTask<T> task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREAD_COUNT);
        try {
            CyclicBarrier start = new CyclicBarrier(THREAD_COUNT);
            List<Callable<T>> calls = new ArrayList<>();
            for (int i = 0; i < THREAD_COUNT; i++) {
                int thread = i;
                calls.add(() -> {
                    start.await();
                    return task.run(thread);
                });
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private interface ThreadTask<T> {
        T run(int thread) throws Exception;
    }
}

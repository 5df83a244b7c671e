package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MemoryPoolTest {
    private static final long SLAB_LENGTH = 1 << 20;

    @Test
    void shouldReserveNothingWhenNew() {
        try (MemoryPool pool = new MemoryPool(MemoryPool.DEFAULT_SLAB_LENGTH)) {
            assertThat(pool.slabCount()).isZero();
            assertThat(pool.reservedLength()).isZero();
            assertThat(pool.allocatedLength()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldAlignAndRoundUpToPagesWhenAllocating(PageSource source) {
        long page = source.pageLength();
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            for (long length : new long[] {1, page - 1, page, page + 1, 3 * page - 1}) {
                Region region = pool.allocate(length);
                assertThat(region.address() % page).isZero();
                assertThat(region.length()).isEqualTo((length + page - 1) / page * page);
                assertThat(region.address()).isBetween(region.slab().address(), endOf(region.slab()) - region.length());
            }
            assertThat(pool.allocatedLength()).isEqualTo(8 * page);
            assertThat(pool.reservedLength()).isEqualTo(SLAB_LENGTH);
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldRoundSlabsUpToPagesWhenTheirLengthIsOdd(PageSource source) {
        try (MemoryPool pool = new MemoryPool(1, source)) {
            pool.allocate(1);
            assertThat(pool.reservedLength()).isEqualTo(source.pageLength());
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldReuseTheSameRangeWhenReleased(PageSource source) {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            pool.allocate(SLAB_LENGTH / 4);
            Region released = pool.allocate(SLAB_LENGTH / 4);
            pool.allocate(SLAB_LENGTH / 2);
            released.release();

            assertThat(pool.allocate(SLAB_LENGTH / 4).address()).isEqualTo(released.address());
            assertThat(pool.slabCount()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldReadZeroWhenReused(PageSource source) {
        int length = (int) (5 * source.pageLength());
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            Region first = pool.allocate(length);
            assertThat(first.window(0, length)).isEqualTo(ByteBuffer.allocate(length));
            first.window(0, length).put(filled(length));
            first.release();

            Region second = pool.allocate(length);
            assertThat(second.address()).isEqualTo(first.address());
            assertThat(second.window(0, length)).isEqualTo(ByteBuffer.allocate(length));
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldMapWindowsToTheAddressesOfNeighbouringRegions(PageSource source) {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            Region lower = pool.allocate(1);
            Region upper = pool.allocate(1);
            lower.window(0, (int) lower.length()).put(filled((int) lower.length()));

            assertThat(DirectAddress.of(upper.window(0, 1))).isEqualTo(upper.address());
            assertThat(upper.window(0, (int) upper.length())).isEqualTo(ByteBuffer.allocate((int) upper.length()));
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldReserveASeparateSlabWhenTheLengthExceedsASlab(PageSource source) {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            Region small = pool.allocate(1);
            Region large = pool.allocate(3 * SLAB_LENGTH + 1);

            assertThat(large.slab()).isNotSameAs(small.slab());
            assertThat(large.slab().id()).isNotEqualTo(small.slab().id());
            assertThat(large.slab().address()).isEqualTo(large.address());
            assertThat(large.slab().length()).isEqualTo(large.length());
            assertThat(pool.slabCount()).isEqualTo(2);
            assertThat(pool.reservedLength()).isEqualTo(SLAB_LENGTH + large.length());
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldReturnTheAddressSpaceOfReleasedRegionsExceptForOneSlab(PageSource source) {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            List<Region> regions = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                regions.add(pool.allocate(SLAB_LENGTH));
            }
            assertThat(pool.reservedLength()).isEqualTo(100 * SLAB_LENGTH);
            regions.forEach(Region::release);
            await().until(() -> pool.unclearedLength() == 0);
            assertThat(pool.slabCount()).isEqualTo(1);
            assertThat(pool.reservedLength()).isEqualTo(SLAB_LENGTH);
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldKeepTheOnlySlabWhenARegionComesAndGoes(PageSource source) {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            Slab slab = null;
            for (int i = 0; i < 10; i++) {
                Region region = pool.allocate(1);
                assertThat(slab == null || slab == region.slab()).isTrue();
                slab = region.slab();
                region.release();
                assertThat(pool.slabCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldKeepTheSlabThatBecameFreeMostRecently() {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH)) {
            pool.allocate(1).release();
            Region longer = pool.allocate(2 * SLAB_LENGTH);
            longer.release();
            await().until(() -> pool.slabCount() == 1);
            for (int i = 0; i < 3; i++) {
                Region next = pool.allocate(2 * SLAB_LENGTH);
                assertThat(next.slab()).isSameAs(longer.slab());
                next.release();
                await().until(() -> pool.unclearedLength() == 0);
            }
        }
    }

    /** Simulates a system that has room for three slabs. A returned slab is unmapped only by a garbage collection. */
    @Test
    void shouldReserveAgainWhatItHasReturnedWhenTheSystemRefusesMore() {
        PageSource mapped = PageSources.mapped();
        List<RecordingPages> all = new ArrayList<>();
        PageSource source = new PageSource("three slabs", mapped.pageLength(), length -> {
            all.removeIf(pages -> pages.calls().contains("unmap"));
            if (all.size() == 3) {
                throw new MemoryException("no more than three slabs");
            }
            all.add(new RecordingPages(mapped.reserve().apply(length)));
            return all.get(all.size() - 1);
        });
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            for (int round = 0; round < 5; round++) {
                List<Region> regions = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    regions.add(pool.allocate(SLAB_LENGTH));
                }
                assertThat(pool.slabCount()).isEqualTo(3);
                regions.forEach(Region::release);
                await().until(() -> pool.slabCount() == 1 && pool.unclearedLength() == 0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldKeepASlabWhileOneOfItsRegionsIsInUse(PageSource source) {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            Region first = pool.allocate(SLAB_LENGTH / 2);
            Region second = pool.allocate(SLAB_LENGTH / 2);
            Region other = pool.allocate(SLAB_LENGTH);
            other.release();
            first.release();
            await().until(() -> pool.unclearedLength() == 0);
            assertThat(pool.slabCount()).isEqualTo(2);

            second.window(0, 8).putLong(1);
            second.release();
            await().until(() -> pool.slabCount() == 1);
            assertThat(pool.allocate(SLAB_LENGTH).window(0, 8).getLong()).isZero();
        }
    }

    @Test
    void shouldGiveSlabsDifferentIdsWhenPoolsDiffer() {
        try (MemoryPool one = new MemoryPool(SLAB_LENGTH);
                MemoryPool other = new MemoryPool(SLAB_LENGTH)) {
            assertThat(one.allocate(1).slab().id())
                    .isNotEqualTo(other.allocate(1).slab().id());
        }
    }

    @Test
    void shouldReachEveryByteWhenASlabExceeds2GiB() {
        long gib = 1L << 30;
        long page = PageSources.mapped().pageLength();
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH)) {
            Region region = pool.allocate(5 * gib);

            // Writes across each multiple of 1 GiB, through a window that extends by one page to each side.
            for (long boundary = gib; boundary < 5 * gib; boundary += gib) {
                ByteBuffer crossing = region.window(boundary - page, (int) (2 * page));
                crossing.putLong((int) page - 4, boundary);
                assertThat(region.window(boundary - 4, 8).getLong()).isEqualTo(boundary);
            }

            ByteBuffer longest = region.window(3 * gib - 123, Integer.MAX_VALUE);
            assertThat(longest.getLong(123 - 4)).isEqualTo(3 * gib);
            assertThat(longest.getLong((int) gib + 123 - 4)).isEqualTo(4 * gib);
            ByteBuffer last = region.window(5 * gib - 1, 1);
            last.put(0, (byte) 7);
            assertThat(region.window(3 * gib + 1, Integer.MAX_VALUE).get(Integer.MAX_VALUE - 1))
                    .isEqualTo((byte) 7);
            region.release();
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldNeverOverlapAndAlwaysCoalesceWhenUsedAtRandom(PageSource source) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int maxPages = (int) (SLAB_LENGTH / source.pageLength());
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH, source)) {
            TreeMap<Long, Region> live = new TreeMap<>();
            long allocated = 0;
            for (int step = 0; step < 5_000; step++) {
                String where = "seed=" + seed + ", step=" + step;
                if (live.isEmpty() || random.nextInt(100) < 55 && pool.slabCount() < 20) {
                    int pages = 1 + random.nextInt(random.nextInt(10) == 0 ? maxPages * 2 : maxPages / 8);
                    Region region = pool.allocate(pages * source.pageLength() - random.nextInt(100));
                    assertFreeIn(live, region, where);
                    live.put(region.address(), region);
                    allocated += region.length();
                    // The first and last page contain the region's address, which no other region may change.
                    assertThat(region.window(0, 8).getLong()).as(where).isZero();
                    region.window(0, 8).putLong(region.address());
                    region.window(region.length() - 8, 8).putLong(region.address());
                } else {
                    Region region = anyOf(live, random);
                    live.remove(region.address());
                    assertStamped(region, where);
                    allocated -= region.length();
                    region.release();
                }
                assertThat(pool.allocatedLength()).as(where).isEqualTo(allocated);
            }

            live.values().forEach(region -> assertStamped(region, "seed=" + seed));
            live.values().forEach(Region::release);
            // Only one slab remains, and all its ranges have been merged.
            await().until(() -> pool.slabCount() == 1);
            pool.allocate(pool.reservedLength());
            assertThat(pool.slabCount()).as("seed=" + seed).isEqualTo(1);
        }
    }

    @Test
    void shouldReportLengthUseAndReasonWhenTheSystemRefuses() {
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH)) {
            Region region = pool.allocate(1);

            assertThatThrownBy(() -> pool.allocate(1L << 50))
                    .isInstanceOf(MemoryException.class)
                    .hasMessageContaining("length=" + (1L << 50))
                    .hasMessageContaining("allocated=" + region.length())
                    .hasMessageContaining("reserved=" + SLAB_LENGTH)
                    .hasMessageContaining("mmap: ")
                    .hasMessageContaining("errno 12");
            assertThatThrownBy(() -> pool.allocate(Long.MAX_VALUE))
                    .isInstanceOf(MemoryException.class)
                    .hasMessageContaining("length=" + Long.MAX_VALUE);

            assertThat(pool.slabCount()).isEqualTo(1);
            assertThat(pool.allocate(1).length()).isEqualTo(region.length());
        }
    }

    @Test
    void shouldRefuseWhenALengthIsNotPositive() {
        assertThatIllegalArgumentException().isThrownBy(() -> new MemoryPool(0)).withMessageContaining("slabLength=0");
        try (MemoryPool pool = new MemoryPool(SLAB_LENGTH)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.allocate(0))
                    .withMessageContaining("length=0");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.allocate(-1))
                    .withMessageContaining("length=-1");
        }
    }

    @Test
    void shouldRefuseToAllocateWhenClosed() {
        MemoryPool pool = new MemoryPool(SLAB_LENGTH);
        pool.allocate(1).release();
        pool.close();
        pool.close();

        assertThatIllegalStateException().isThrownBy(() -> pool.allocate(1)).withMessageContaining("closed");
        assertThat(pool.slabCount()).isZero();
        assertThat(pool.reservedLength()).isZero();
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.memory.PageSources#both")
    void shouldKeepRegionsUsableAndClearThemWhenClosed(PageSource source) {
        MemoryPool pool = new MemoryPool(SLAB_LENGTH, source);
        Region region = pool.allocate(1);
        ByteBuffer window = region.window(0, 8);
        window.putLong(0, 42);
        pool.close();

        assertThat(window.getLong(0)).isZero();
        window.putLong(0, 43);
        assertThat(region.window(0, 8).getLong()).isEqualTo(43);
        assertThat(pool.allocatedLength()).isEqualTo(region.length());
        region.retain();
        region.release();
        region.release();
        assertThat(window.getLong(0)).isZero();
        assertThat(pool.allocatedLength()).isZero();
    }

    private static void assertFreeIn(TreeMap<Long, Region> live, Region region, String where) {
        Map.Entry<Long, Region> before = live.floorEntry(region.address());
        if (before != null) {
            assertThat(before.getKey() + before.getValue().length()).as(where).isLessThanOrEqualTo(region.address());
        }
        Map.Entry<Long, Region> after = live.ceilingEntry(region.address());
        if (after != null) {
            assertThat(region.address() + region.length()).as(where).isLessThanOrEqualTo(after.getKey());
        }
    }

    private static void assertStamped(Region region, String where) {
        assertThat(region.window(0, 8).getLong()).as(where).isEqualTo(region.address());
        assertThat(region.window(region.length() - 8, 8).getLong()).as(where).isEqualTo(region.address());
    }

    private static Region anyOf(TreeMap<Long, Region> live, Random random) {
        List<Region> regions = new ArrayList<>(live.values());
        return regions.get(random.nextInt(regions.size()));
    }

    private static long endOf(Slab slab) {
        return slab.address() + slab.length();
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0x5a);
        return bytes;
    }
}

package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that compare the resident set before and after an operation. A margin allows for the activity of the JVM
 * itself.
 */
class CommittedMemoryTest {
    private static final long MIB = 1 << 20;
    private static final long MARGIN = 100 * MIB;
    private static final long TOUCHED = 512 * MIB;

    private final long pageLength = PageSources.mapped().pageLength();

    @Test
    void shouldCommitNothingWhenMemoryIsIdle() throws IOException {
        try (MemoryPool pool = new MemoryPool(MemoryPool.DEFAULT_SLAB_LENGTH)) {
            long before = ResidentMemory.length();
            List<Region> regions = new ArrayList<>();
            for (int i = 0; i < 4096; i++) {
                regions.add(pool.allocate(MIB));
            }
            assertThat(pool.allocatedLength()).isEqualTo(4096 * MIB);
            assertThat(ResidentMemory.length() - before).isLessThan(MARGIN);

            regions.forEach(Region::release);
            assertThat(ResidentMemory.length() - before).isLessThan(MARGIN);
        }
    }

    @Test
    void shouldReturnPagesWhenReleased() throws IOException {
        try (MemoryPool pool = new MemoryPool(TOUCHED)) {
            long before = ResidentMemory.length();
            Region region = pool.allocate(TOUCHED);
            touch(region);
            assertThat(ResidentMemory.length() - before).isGreaterThan(TOUCHED - MARGIN);

            region.release();
            await().until(() -> pool.unclearedLength() == 0);
            assertThat(ResidentMemory.length() - before).isLessThan(MARGIN);
        }
    }

    @Test
    void shouldReturnPagesImmediatelyWhenClosedWithAnUnreleasedRegion() throws IOException {
        long before = ResidentMemory.length();
        MemoryPool pool = new MemoryPool(TOUCHED);
        Region region = pool.allocate(TOUCHED);
        touch(region);
        assertThat(ResidentMemory.length() - before).isGreaterThan(TOUCHED - MARGIN);

        pool.close();
        assertThat(ResidentMemory.length() - before).isLessThan(MARGIN);
        region.release();
    }

    private void touch(Region region) {
        ByteBuffer window = region.window(0, (int) region.length());
        for (int offset = 0; offset < window.capacity(); offset += (int) pageLength) {
            window.put(offset, (byte) 1);
        }
    }
}

package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of stale windows, which run in a separate process because a failure would crash the process. */
class StaleWindowTest {
    @Test
    @Timeout(600)
    void shouldReadAndWriteWhenOnlyTheWindowKeepsTheSlab() throws Exception {
        ChildJvm child = ChildJvm.run(Child.class, entry -> true);

        assertThat(child.output()).contains("alive");
        assertThat(child.exitStatus()).isZero();
    }

    /**
     * A program that uses a slice of a window after the window's region has been released and the pool has been closed.
     */
    static final class Child {
        private static final int LENGTH = 16 << 20;

        private Child() {}

        public static void main(String[] arguments) {
            ByteBuffer stale = sliceOfClosedPool();
            collect();
            for (int round = 0; round < 20; round++) {
                for (int offset = 0; offset < stale.capacity(); offset += 512) {
                    stale.put(offset, (byte) round);
                }
                collect();
            }
            System.out.println("alive " + stale.get(0));
        }

        private static ByteBuffer sliceOfClosedPool() {
            try (MemoryPool pool = new MemoryPool(LENGTH)) {
                if (!pool.kind().equals("mmap")) {
                    throw new AssertionError(pool.kind());
                }
                Region region = pool.allocate(LENGTH);
                ByteBuffer slice = region.window(0, LENGTH).slice(0, LENGTH).slice();
                region.release();
                return slice;
            }
        }

        private static void collect() {
            WeakReference<Object> garbage = new WeakReference<>(new Object());
            while (garbage.get() != null) {
                System.gc();
            }
        }
    }
}

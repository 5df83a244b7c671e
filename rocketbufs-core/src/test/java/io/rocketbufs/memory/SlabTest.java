package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(600)
class SlabTest {
    private final List<RecordingPages> reserved = new CopyOnWriteArrayList<>();
    private final PageSource source = PageSources.recordedIn(reserved);
    private final int page = (int) source.pageLength();

    /** Checks that publishers and workers that return pages after a burst do not wait for each other. */
    @Test
    void shouldReturnPagesOfTwoRangesAtTheSameTime() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        Slab slab = new Slab(new MeetingPages(both, page * 2L));
        CompletableFuture<Boolean> other =
                CompletableFuture.supplyAsync(() -> slab.tryDrop(slab.address() + page, page));
        assertThat(slab.tryDrop(slab.address(), page)).isTrue();
        assertThat(other.get(60, TimeUnit.SECONDS)).isTrue();
    }

    /** Pages that two threads must return at the same time. */
    private record MeetingPages(CyclicBarrier both, long length) implements Pages {
        @Override
        public long address() {
            return 1L << 40;
        }

        @Override
        public boolean tryDrop(long offset, long dropped) {
            try {
                both.await(30, TimeUnit.SECONDS);
                return true;
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                return false;
            }
        }

        @Override
        public ByteBuffer view(long offset, int viewed) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void drop(long offset, long dropped) {}

        @Override
        public void zero(long offset, long cleared) {}

        @Override
        public void unmap() {}
    }

    @Test
    void shouldUnmapWhenPoolAndRegionsAreGone() {
        useAndClose(true);
        awaitUnmapped(reserved.get(0));
    }

    @Test
    void shouldStayMappedWhileTheRegionIsReachable() {
        Region region = allocateAndClose();
        awaitUnmappedControl();

        assertThat(reserved.get(0).calls()).doesNotContain("unmap");
        region.window(0, 8).putLong(0, 1);
        region.release();
    }

    @Test
    void shouldStayMappedWhenARegionBecomesUnreachableWithItsLease() {
        useAndClose(false);
        awaitUnmappedControl();

        assertThat(reserved.get(0).calls()).contains("drop 0 " + page).doesNotContain("unmap");
    }

    @ParameterizedTest
    @MethodSource("derivations")
    void shouldStayMappedWhileABufferDerivedFromAWindowIsReachable(UnaryOperator<Buffer> derivation) {
        Buffer derived = deriveAndClose(derivation);
        awaitUnmappedControl();

        assertThat(reserved.get(0).calls()).doesNotContain("unmap");
        assertThat(derived.isDirect()).isTrue();
        Reference.reachabilityFence(derived);
        derived = null;
        awaitUnmapped(reserved.get(0));
    }

    static Stream<UnaryOperator<Buffer>> derivations() {
        return Stream.of(
                window -> window,
                Buffer::slice,
                Buffer::duplicate,
                window -> window.slice().slice().duplicate().slice(),
                window -> ((ByteBuffer) window).asReadOnlyBuffer(),
                window -> ((ByteBuffer) window).alignedSlice(8),
                window -> ((ByteBuffer) window).slice(8, 8).asLongBuffer(),
                window -> ((ByteBuffer) window).asIntBuffer().slice().asReadOnlyBuffer());
    }

    @Test
    void shouldDropPagesWhenARegionIsReleased() {
        try (MemoryPool pool = new MemoryPool(4L * page, source)) {
            pool.allocate(page);
            pool.allocate(2L * page).release();

            assertThat(reserved.get(0).calls()).containsExactly("drop " + page + " " + 2 * page);
        }
    }

    @Test
    void shouldKeepAndClearPagesThatADeviceHasRegistered() {
        try (MemoryPool pool = new MemoryPool(4L * page, source)) {
            Region region = pool.allocate(page);
            region.slab().beginRegistration();
            region.slab().beginRegistration();
            region.slab().endRegistration();
            region.window(0, 8).putLong(1);
            region.release();

            assertThat(reserved.get(0).calls()).containsExactly("zero 0 " + page);
            assertThat(pool.allocate(page).window(0, 8).getLong()).isZero();
        }
    }

    @Test
    void shouldReturnPagesOfAnAllocatedRegion() {
        try (MemoryPool pool = new MemoryPool(4L * page, source)) {
            pool.allocate(page);
            Region region = pool.allocate(3L * page);
            region.window(0, 8).putLong(1);
            region.window(page, 8).putLong(1);

            assertThat(region.returnPages(page, 2L * page)).isTrue();
            assertThat(reserved.get(0).calls()).containsExactly("drop " + 2 * page + " " + 2 * page);
            assertThat(region.window(0, 8).getLong()).isEqualTo(1);
            assertThat(region.window(page, 8).getLong()).isZero();
            assertThatIllegalArgumentException().isThrownBy(() -> region.returnPages(page, 3L * page));
        }
    }

    @Test
    void shouldNotReturnPagesThatADeviceHasRegistered() {
        try (MemoryPool pool = new MemoryPool(4L * page, source)) {
            Region region = pool.allocate(page);
            region.slab().beginRegistration();
            region.window(0, 8).putLong(1);

            assertThat(region.returnPages(0, page)).isFalse();
            assertThat(region.window(0, 8).getLong()).isEqualTo(1);
            assertThat(reserved.get(0).calls()).isEmpty();
        }
    }

    @Test
    void shouldNotChangeAllocatedMemoryWhenTheLastRegistrationEnds() {
        try (MemoryPool pool = new MemoryPool(page, source)) {
            Region region = pool.allocate(page);
            region.slab().beginRegistration();
            region.window(0, 8).putLong(1);
            region.slab().endRegistration();

            assertThat(region.window(0, 8).getLong()).isEqualTo(1);
            assertThat(reserved.get(0).calls()).isEmpty();
            region.release();
            assertThat(reserved.get(0).calls()).containsExactly("drop 0 " + page);
        }
    }

    @Test
    void shouldDropPagesOfAClosedPoolWhenItsLastRegistrationEnds() {
        MemoryPool pool = new MemoryPool(4L * page, source);
        Region region = pool.allocate(page);
        region.slab().beginRegistration();
        pool.close();
        assertThat(reserved.get(0).calls()).isEmpty();

        region.slab().endRegistration();
        assertThat(reserved.get(0).calls()).containsExactly("drop 0 " + 4 * page);
        region.release();
    }

    @Test
    void shouldRefuseWhenNoRegistrationIsOpen() {
        try (MemoryPool pool = new MemoryPool(page, source)) {
            Slab slab = pool.allocate(1).slab();
            slab.beginRegistration();
            slab.endRegistration();

            assertThatIllegalStateException().isThrownBy(slab::endRegistration).withMessageContaining("slab=");
        }
    }

    private void useAndClose(boolean release) {
        Region region = allocateAndClose();
        if (release) {
            region.release();
        }
    }

    private Region allocateAndClose() {
        try (MemoryPool pool = new MemoryPool(page, source)) {
            return pool.allocate(1);
        }
    }

    private Buffer deriveAndClose(UnaryOperator<Buffer> derivation) {
        try (MemoryPool pool = new MemoryPool(page, source)) {
            Region region = pool.allocate(1);
            Buffer derived = derivation.apply(region.window(0, page));
            region.release();
            return derived;
        }
    }

    /**
     * Creates an unreachable slab and waits until it is unmapped, which proves that the garbage collector and the
     * cleaner have run.
     */
    private void awaitUnmappedControl() {
        useAndClose(true);
        RecordingPages control = reserved.get(reserved.size() - 1);
        awaitUnmapped(control);
    }

    private static void awaitUnmapped(RecordingPages pages) {
        while (!pages.calls().contains("unmap")) {
            assertThat(Thread.interrupted()).as("timed out").isFalse();
            System.gc();
        }
    }
}

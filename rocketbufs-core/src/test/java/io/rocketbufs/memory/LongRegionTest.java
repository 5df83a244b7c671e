package io.rocketbufs.memory;

import static io.rocketbufs.memory.UnclearedRanges.STEP_LENGTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of regions that are too long for the releasing thread to clear. The test's thread runs the background tasks.
 */
class LongRegionTest {
    private static final long SLAB_LENGTH = 4 * STEP_LENGTH;

    private final List<RecordingPages> reserved = new ArrayList<>();
    private final Background background = new Background();
    private final MemoryPool pool = new MemoryPool(SLAB_LENGTH, PageSources.recordedIn(reserved), background);

    @AfterEach
    void close() {
        pool.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveClearingToTheBackgroundWhenReleased(boolean registered) {
        Region region = filled(SLAB_LENGTH);
        if (registered) {
            region.slab().beginRegistration();
        }
        region.release();

        assertThat(calls()).isEmpty();
        assertThat(pool.allocatedLength()).isZero();
        assertThat(pool.unclearedLength()).isEqualTo(SLAB_LENGTH);
        background.run();
        String call = registered ? "zero " : "drop ";
        assertThat(calls())
                .containsExactly(
                        call + "0 " + STEP_LENGTH,
                        call + STEP_LENGTH + " " + STEP_LENGTH,
                        call + 2 * STEP_LENGTH + " " + STEP_LENGTH,
                        call + 3 * STEP_LENGTH + " " + STEP_LENGTH);
        assertThat(pool.unclearedLength()).isZero();
    }

    @Test
    void shouldClearOnTheReleasingThreadWhenTheRegionIsAStepLong() {
        filled(STEP_LENGTH).release();

        assertThat(calls()).containsExactly("drop 0 " + STEP_LENGTH);
        assertThat(background.tasks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAllocateNothingBeforeItIsCleared(boolean registered) {
        Region first = filled(SLAB_LENGTH);
        if (registered) {
            first.slab().beginRegistration();
        }
        first.release();

        Region second = pool.allocate(SLAB_LENGTH);
        assertThat(second.slab()).isNotSameAs(first.slab());
        assertZero(second);
        background.run();
        Region third = pool.allocate(SLAB_LENGTH);
        assertThat(third.address()).isEqualTo(first.address());
        assertZero(third);
    }

    @Test
    void shouldAllocateTheRestWhenAStepCannotBeCleared() {
        Region first = filled(SLAB_LENGTH);
        first.release();
        reserved.get(0).failOnce(new IllegalStateException("cannot be cleared"));
        background.run();

        assertThat(pool.unclearedLength()).isZero();
        Region rest = pool.allocate(SLAB_LENGTH - STEP_LENGTH);
        assertThat(rest.address()).isEqualTo(first.address() + STEP_LENGTH);
        assertZero(rest);
        assertThat(pool.allocate(STEP_LENGTH).slab()).isNotSameAs(first.slab());
    }

    @Test
    void shouldKeepAShortRegionUnusedWhenItCannotBeCleared() {
        Region first = filled(1);
        reserved.get(0).failOnce(new IllegalStateException("cannot be cleared"));
        assertThatIllegalStateException().isThrownBy(first::release);

        assertThat(pool.allocate(1).address()).isNotEqualTo(first.address());
    }

    @Test
    void shouldClearNothingForAnAllocationWhenNoMoreThanASlabWaits() {
        Region released = filled(SLAB_LENGTH);
        released.release();

        assertThat(pool.allocate(1).slab()).isNotSameAs(released.slab());
        assertThat(calls()).isEmpty();
    }

    @Test
    void shouldClearNoMoreThanAnAllocationRequestsWhenMoreThanASlabWaits() {
        Region longer = filled(3 * SLAB_LENGTH);
        longer.release();

        Region reused = pool.allocate(2 * STEP_LENGTH);
        assertThat(reused.address()).isEqualTo(longer.address());
        assertZero(reused);
        assertThat(calls()).hasSize(2);
        assertThat(pool.slabCount()).isEqualTo(1);
    }

    @Test
    void shouldReserveASlabWhenTheClearedStepsAreNotNeighbours() {
        Region lower = filled(3 * SLAB_LENGTH);
        Region upper = filled(3 * SLAB_LENGTH);
        lower.release();
        pool.allocate(STEP_LENGTH);
        upper.release();

        Region region = pool.allocate(3 * SLAB_LENGTH);
        assertThat(region.slab()).isNotIn(lower.slab(), upper.slab());
        assertThat(pool.unclearedLength()).isGreaterThan(SLAB_LENGTH);
    }

    @Test
    void shouldNotGrowWithoutBoundWhenTheBackgroundNeverRuns() {
        for (int i = 0; i < 100; i++) {
            filled(SLAB_LENGTH).release();
            assertThat(pool.unclearedLength()).isLessThanOrEqualTo(2 * SLAB_LENGTH);
        }
        assertThat(pool.slabCount()).isEqualTo(2);
    }

    @Test
    void shouldRefuseALongRegionWhenNoThreadCanBeStarted() {
        background.refusal = new OutOfMemoryError("unable to create native thread");

        assertThatThrownBy(() -> pool.allocate(STEP_LENGTH + 1))
                .isInstanceOf(MemoryException.class)
                .hasMessageContaining("unable to create native thread");
        assertThat(pool.reservedLength()).isZero();
        pool.allocate(STEP_LENGTH);
        background.refusal = null;
        pool.allocate(STEP_LENGTH + 1);
    }

    @Test
    void shouldClearAfterTheNextReleaseWhenTheThreadIsLostAndNoneCanBeStarted() {
        Region first = filled(SLAB_LENGTH);
        background.run();
        background.refusal = new OutOfMemoryError("unable to create native thread");
        first.release();
        assertThat(background.tasks).isEmpty();
        background.refusal = null;
        filled(SLAB_LENGTH).release();
        background.run();

        assertThat(pool.unclearedLength()).isZero();
        assertThat(pool.slabCount()).isEqualTo(1);
    }

    @Test
    void shouldFollowTheCurrentRegistrationsWhenClearingInSteps() {
        UnclearedRanges uncleared = new UnclearedRanges(background, step -> {});
        Region region = pool.allocate(SLAB_LENGTH);
        uncleared.add(new FreeRange(region.slab(), region.address(), 3 * STEP_LENGTH - 1));

        uncleared.clearStep();
        region.slab().beginRegistration();
        uncleared.clearStep();
        region.slab().endRegistration();
        assertThat(uncleared.clearStep()).isEqualTo(STEP_LENGTH - 1);
        assertThat(calls())
                .containsExactly(
                        "drop 0 " + STEP_LENGTH,
                        "zero " + STEP_LENGTH + " " + STEP_LENGTH,
                        "drop " + 2 * STEP_LENGTH + " " + (STEP_LENGTH - 1));
        assertThat(uncleared.clearStep()).isZero();
    }

    @Test
    void shouldClearOnTheReleasingThreadWhenThePoolIsClosed() {
        MemoryPool closed = new MemoryPool(SLAB_LENGTH, PageSources.recordedIn(reserved));
        Region region = closed.allocate(SLAB_LENGTH);
        closed.close();
        ByteBuffer window = region.window(0, 8);
        window.putLong(0, 1);
        region.release();

        assertThat(window.getLong(0)).isZero();
    }

    private List<String> calls() {
        return reserved.stream().flatMap(pages -> pages.calls().stream()).toList();
    }

    private Region filled(long length) {
        Region region = pool.allocate(length);
        ByteBuffer window = region.window(0, (int) region.length());
        while (window.hasRemaining()) {
            window.putLong(-1);
        }
        return region;
    }

    private static void assertZero(Region region) {
        int length = (int) region.length();
        assertThat(region.window(0, length)).isEqualTo(ByteBuffer.allocate(length));
    }

    /** An executor that keeps tasks until the test runs them. */
    private static final class Background extends AbstractExecutorService {
        private final List<Runnable> tasks = new ArrayList<>();
        private Error refusal;
        private boolean ended;

        void run() {
            List<Runnable> due = List.copyOf(tasks);
            tasks.clear();
            due.forEach(Runnable::run);
        }

        @Override
        public void execute(Runnable task) {
            if (refusal != null) {
                throw refusal;
            }
            tasks.add(task);
        }

        @Override
        public void shutdown() {
            ended = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isShutdown() {
            return ended;
        }

        @Override
        public boolean isTerminated() {
            return ended;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return ended;
        }
    }
}

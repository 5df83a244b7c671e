package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BurstDetectorTest {
    private static final long WRITE_NS = 4000;

    private final BurstDetector watch = new BurstDetector();
    private long nowNs = System.nanoTime() + 1_000_000_000;

    /**
     * Makes a delivery {@code gapNs} nanoseconds after the last write. A write on the producer's own thread advances
     * the time.
     */
    private boolean isBurstAfter(long gapNs, int gathered) {
        nowNs += gapNs;
        boolean burst = watch.isBurst(gathered, nowNs);
        if (!burst) {
            watch.wrote(nowNs, nowNs + WRITE_NS);
            nowNs += WRITE_NS;
        }
        return burst;
    }

    @Test
    void shouldWriteOnTheProducerThatPausesLongerThanAWriteTakes() {
        for (int i = 0; i < 100; i++) {
            assertThat(isBurstAfter(WRITE_NS, 0)).isFalse();
        }
    }

    @Test
    void shouldUseTheWorkerAfterSeveralHurriedWrites() {
        assertThat(isBurstAfter(1_000_000, 0)).isFalse();
        for (int i = 1; i < BurstDetector.HURRIED_WRITES; i++) {
            assertThat(isBurstAfter(50, 0)).isFalse();
        }
        assertThat(isBurstAfter(50, 0)).isTrue();
    }

    @Test
    void shouldUseTheWorkerUntilTheHurriedProducerPauses() {
        for (int i = 0; i < BurstDetector.HURRIED_WRITES; i++) {
            isBurstAfter(50, 0);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(isBurstAfter(50, 0)).isTrue();
        }
        assertThat(isBurstAfter(WRITE_NS, 0)).isFalse();
        assertThat(isBurstAfter(50, 0)).isFalse();
    }

    @Test
    void shouldWriteOnTheProducerThatIsHurriedOnlyOccasionally() {
        for (int i = 0; i < 100; i++) {
            assertThat(isBurstAfter(i % BurstDetector.HURRIED_WRITES == 0 ? 2 * WRITE_NS : 50, 0))
                    .isFalse();
        }
    }

    @Test
    void shouldUseTheWorkerWhileDeliveriesAccumulateDuringSends() {
        assertThat(isBurstAfter(1_000_000, BurstDetector.WORTH_A_WAKEUP)).isTrue();
        assertThat(isBurstAfter(1_000_000, BurstDetector.WORTH_A_WAKEUP)).isTrue();
        assertThat(isBurstAfter(1_000_000, BurstDetector.WORTH_A_WAKEUP - 1)).isFalse();
    }
}

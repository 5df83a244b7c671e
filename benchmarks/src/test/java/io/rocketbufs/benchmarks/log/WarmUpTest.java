package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WarmUpTest {
    private static final WarmUp WARM_UP = new WarmUp(1000, 3, 7000, 10_000, 5000);

    /** Returns the number of steps after which the warm-up is over, given the number of records in each step. */
    private static int steps(boolean isFirst, boolean hasFixedRate, long... records) {
        List<Long> progress = new ArrayList<>(List.of(7L));
        for (int i = 0; i < records.length; i++) {
            assertThat(WARM_UP.isOver(progress, isFirst, hasFixedRate))
                    .describedAs(i + " steps")
                    .isFalse();
            progress.add(progress.get(i) + records[i]);
        }
        assertThat(WARM_UP.isOver(progress, isFirst, hasFixedRate)).isTrue();
        return records.length;
    }

    @Test
    void shouldEndWhenSeveralStepsInARowAreNotFaster() {
        steps(false, false, 100, 200, 400, 410, 300, 405);
    }

    @Test
    void shouldGoOnWhenTheRateGrowsAfterAPause() {
        steps(false, false, 100, 100, 90, 400, 400, 400, 400);
    }

    @Test
    void shouldEndAtTheLimitWhenTheRateNeverStopsGrowing() {
        steps(false, false, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512);
    }

    @Test
    void shouldGoOnUntilTheLimitWhileThereIsNoProgress() {
        steps(false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void shouldOnlyWaitWhenTheRateIsFixed() {
        steps(false, true, 100, 100, 100, 100, 100);
    }

    @Test
    void shouldWarmUpANewProcessForAMinimumTime() {
        steps(true, false, 100, 100, 100, 100, 100, 100, 100);
        steps(true, true, 100, 100, 100, 100, 100, 100, 100);
    }
}

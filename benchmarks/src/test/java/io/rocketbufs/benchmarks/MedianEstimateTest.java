package io.rocketbufs.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class MedianEstimateTest {
    @Test
    void shouldReturnTheMiddleValueOfAnOddCount() {
        assertThat(MedianEstimate.median(new double[] {9, 1, 5})).isEqualTo(5);
    }

    @Test
    void shouldReturnTheMeanOfTheMiddleValuesOfAnEvenCount() {
        assertThat(MedianEstimate.median(new double[] {4, 1, 100, 2})).isEqualTo(3);
    }

    @Test
    void shouldNotReorderTheValues() {
        double[] values = {3, 1, 2};
        MedianEstimate.of(values);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @Test
    void shouldReturnAnIntervalOfOnePointWhenAllValuesAreEqual() {
        MedianEstimate estimate = MedianEstimate.of(new double[] {2, 2, 2, 2});
        assertThat(estimate).isEqualTo(new MedianEstimate(2, 2, 2, 4));
    }

    @Test
    void shouldNotExtendTheIntervalToAFewOutliers() {
        double[] values = {1.00, 1.01, 0.99, 1.02, 0.98, 1.01, 1.00, 0.99, 1.00, 1.01, 0.99, 1.00, 1.02, 50, 0.01};
        MedianEstimate estimate = MedianEstimate.of(values);
        assertThat(estimate.median()).isEqualTo(1.0);
        assertThat(estimate.low()).isBetween(0.98, 1.0);
        assertThat(estimate.high()).isBetween(1.0, 1.02);
    }

    @Test
    void shouldCoverTheTrueMedianInAbout95PercentOfTheTrials() {
        Random random = new Random(7);
        int covered = 0;
        int trials = 200;
        for (int i = 0; i < trials; i++) {
            MedianEstimate estimate =
                    MedianEstimate.of(random.doubles(15).map(value -> value + 1).toArray());
            covered += estimate.low() <= 1.5 && 1.5 <= estimate.high() ? 1 : 0;
        }
        assertThat(covered).as("of %d trials", trials).isBetween(trials * 88 / 100, trials);
    }

    @Test
    void shouldDividePairedValuesInsteadOfMedians() {
        // The first value of each pair is twice the second, while both drift by a factor of ten.
        MedianEstimate ratio = MedianEstimate.ofRatios(new double[] {2, 20, 6}, new double[] {1, 10, 3});
        assertThat(ratio.median()).isCloseTo(2, within(1e-9));
        assertThat(ratio.low()).isCloseTo(ratio.high(), within(1e-9));
    }

    @Test
    void shouldRejectValuesWithoutAMedian() {
        assertThatThrownBy(() -> MedianEstimate.median(new double[0])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MedianEstimate.ofRatios(new double[1], new double[2]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("references=2");
    }
}

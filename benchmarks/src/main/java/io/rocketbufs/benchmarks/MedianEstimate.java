package io.rocketbufs.benchmarks;

import java.util.Arrays;
import java.util.Random;

/**
 * A median with its 95 % interval, computed by resampling: many samples are drawn from the values with replacement, and
 * the interval contains the middle 95 % of the samples' medians.
 *
 * @param median the middle value, or the mean of the two middle values
 * @param low lower end of the interval
 * @param high upper end of the interval
 * @param count number of values
 */
public record MedianEstimate(double median, double low, double high, int count) {
    private static final int SAMPLES = 4000;
    private static final int OUTSIDE = SAMPLES / 40;

    /**
     * Returns the estimate for the given values, which may be in any order. The same values in the same order always
     * give the same interval.
     *
     * @throws IllegalArgumentException if there are no values
     */
    public static MedianEstimate of(double[] values) {
        Random random = new Random(1);
        double[] medians = new double[SAMPLES];
        double[] sample = new double[values.length];
        for (int i = 0; i < SAMPLES; i++) {
            Arrays.setAll(sample, j -> values[random.nextInt(values.length)]);
            medians[i] = median(sample);
        }
        Arrays.sort(medians);
        return new MedianEstimate(median(values), medians[OUTSIDE], medians[SAMPLES - 1 - OUTSIDE], values.length);
    }

    /**
     * Returns the estimate for the ratio of paired measurements. Each value is divided by the reference at the same
     * index, so that a disturbance that affects both cancels out.
     *
     * @throws IllegalArgumentException if the lengths differ
     */
    public static MedianEstimate ofRatios(double[] values, double[] references) {
        if (values.length != references.length) {
            throw new IllegalArgumentException("values and references are not paired: values=" + values.length
                    + ", references=" + references.length);
        }
        double[] ratios = new double[values.length];
        Arrays.setAll(ratios, i -> values[i] / references[i]);
        return of(ratios);
    }

    /**
     * Returns the median without its interval.
     *
     * @throws IllegalArgumentException if there are no values
     */
    public static double median(double[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values to compute a median from");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

package io.rocketbufs.benchmarks;

import java.util.Arrays;
import java.util.Random;

/**
 * A median with its 95 % interval, computed by resampling: the middle 95 % of the medians of many samples drawn from
 * the values with replacement.
 *
 * @param median the middle value, or the mean of the two in the middle
 * @param low lower end of the interval
 * @param high upper end of the interval
 * @param count number of values
 */
public record MedianEstimate(double median, double low, double high, int count) {
    private static final int SAMPLES = 4000;
    private static final int OUTSIDE = SAMPLES / 40;

    /**
     * Returns the estimate for values in any order; the same values always give the same interval.
     *
     * @throws IllegalArgumentException without values
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
     * Returns the estimate for the ratio of paired measurements: each value is divided by its neighbour, so
     * disturbances of both cancel out.
     *
     * @throws IllegalArgumentException if the lengths differ
     */
    public static MedianEstimate ofRatios(double[] values, double[] references) {
        if (values.length != references.length) {
            throw new IllegalArgumentException(
                    "no pairs: values=" + values.length + ", references=" + references.length);
        }
        double[] ratios = new double[values.length];
        Arrays.setAll(ratios, i -> values[i] / references[i]);
        return of(ratios);
    }

    /**
     * Returns the median without its interval.
     *
     * @throws IllegalArgumentException without values
     */
    public static double median(double[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("a median needs a value");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

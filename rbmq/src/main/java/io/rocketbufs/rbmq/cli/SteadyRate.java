package io.rocketbufs.rbmq.cli;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A check of whether a rate is steady. A steady rate shows that the benchmark's JVMs have compiled the code that they
 * need.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class SteadyRate {
    private static final int RATES = 3;
    private static final double TOLERANCE = 0.1;

    private final Deque<Double> rates = new ArrayDeque<>();
    private long lastNs;
    private long lastCount = -1;

    /**
     * Adds a sample: the total number of messages so far. Returns true if the last three rates differ by less than 10
     * %.
     */
    boolean add(long nowNs, long count) {
        if (lastCount >= 0) {
            rates.add((count - lastCount) / (double) Math.max(1, nowNs - lastNs));
        }
        if (rates.size() > RATES) {
            rates.remove();
        }
        lastNs = nowNs;
        lastCount = count;
        double least = rates.stream().mapToDouble(rate -> rate).min().orElse(0);
        double most = rates.stream().mapToDouble(rate -> rate).max().orElse(0);
        return rates.size() == RATES && least > 0 && most - least < TOLERANCE * most;
    }
}

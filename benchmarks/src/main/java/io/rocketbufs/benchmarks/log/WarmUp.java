package io.rocketbufs.benchmarks.log;

import java.util.List;

/**
 * The rule that determines when a warm-up ends: when the rate has stopped growing, or after a time limit. With a fixed
 * rate, only the time limit applies. A process that has just started warms up for a minimum time, because its rate may
 * stagnate while its code is being compiled.
 *
 * @param stepMs time in ms between two checks of the progress
 * @param steadySteps number of steps without growth after which the rate counts as steady
 * @param firstMs minimum warm-up in ms of a process that has just started
 * @param limitMs maximum warm-up in ms
 * @param fixedRateMs maximum warm-up in ms with a fixed rate
 */
record WarmUp(long stepMs, int steadySteps, long firstMs, long limitMs, long fixedRateMs) {
    /** A step counts as faster than earlier steps if it has more than this many times the records of each of them. */
    private static final double GROWTH = 1.05;

    /**
     * Returns whether the warm-up is over.
     *
     * @param progress number of records at the start and after each step
     * @param isFirst whether the process has just started
     * @param hasFixedRate whether the clients send records at a fixed rate
     */
    boolean isOver(List<Long> progress, boolean isFirst, boolean hasFixedRate) {
        int steps = progress.size() - 1;
        long limit = hasFixedRate ? fixedRateMs : limitMs;
        if (isFirst && steps * stepMs < firstMs) {
            return false;
        }
        return steps * stepMs >= limit || !hasFixedRate && isSteady(progress);
    }

    /** Returns whether none of the last {@code steadySteps} steps was faster than all earlier steps. */
    private boolean isSteady(List<Long> progress) {
        int steps = progress.size() - 1;
        if (steps <= steadySteps) {
            return false;
        }
        long best = 0;
        for (int i = 0; i < steps - steadySteps; i++) {
            best = Math.max(best, progress.get(i + 1) - progress.get(i));
        }
        for (int i = steps - steadySteps; i < steps; i++) {
            if (progress.get(i + 1) - progress.get(i) > GROWTH * best) {
                return false;
            }
        }
        return best > 0;
    }

    /** Returns the estimated time of a warm-up in milliseconds. */
    long estimateMs(boolean hasFixedRate) {
        return hasFixedRate ? fixedRateMs : Math.min(limitMs, 2 * (steadySteps + 1) * stepMs);
    }
}

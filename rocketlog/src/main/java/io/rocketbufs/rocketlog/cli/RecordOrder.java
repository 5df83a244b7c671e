package io.rocketbufs.rocketlog.cli;

import java.util.HashSet;
import java.util.Set;

/**
 * A check that numbers arrive exactly once and in order, starting at 0.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class RecordOrder {
    /**
     * Maximum number of missing numbers to remember. Further missing numbers count as duplicated if they arrive later.
     */
    private static final int MOST_MISSING = 1_000_000;

    /** The missing numbers; null until a number is missing. */
    private Set<Long> missing;

    private long next;
    private long skipped;
    private long duplicated;
    private long reordered;

    /** Records the arrival of a number. */
    void accept(long number) {
        if (number == next) {
            next++;
        } else if (number > next) {
            skipped += number - next;
            missing = missing == null ? new HashSet<>() : missing;
            for (long i = next; i < number && missing.size() < MOST_MISSING; i++) {
                missing.add(i);
            }
            next = number + 1;
        } else if (missing != null && missing.remove(number)) {
            skipped--;
            reordered++;
        } else {
            duplicated++;
        }
    }

    /**
     * Returns the faults among all numbers. Called after the last number has arrived.
     *
     * @param sent how many numbers were sent
     */
    LoadFaults faults(long sent) {
        return new LoadFaults(skipped + Math.max(0, sent - next), duplicated, reordered, 0);
    }
}

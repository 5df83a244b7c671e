package io.rocketbufs.buffer;

import java.util.Arrays;

/**
 * The bytes that were lost before they reached a {@link DeliveryLog}, indexed by log position. Every reader reports the
 * loss at the position at which the bytes are missing.
 *
 * <pre>
 *   log positions   0 ........ p0 ........ p1 ........ end
 *   total lost      |  t0      |  t1       |  t2
 * </pre>
 *
 * <p>A reader stores the total that it has reported. When it reaches a mark, it must report the difference between
 * {@link #total} and the stored total.
 *
 * <p><b>Thread-safety:</b> one producer adds and removes marks; any thread reads them. Gaps are rare, so adding a mark
 * copies the arrays.
 */
final class GapMarks {
    private record Marks(long[] positions, long[] totals, long before) {
        private static final Marks NONE = new Marks(new long[0], new long[0], 0);
    }

    /** Highest total, chosen so that the sum of a total and a position cannot overflow. */
    private static final long MAX_TOTAL = Long.MAX_VALUE / 2;

    private volatile Marks marks = Marks.NONE;
    /**
     * Total number of bytes lost. Updated after the marks, so a reader that has reported this total need not search the
     * marks.
     */
    private volatile long sum;

    /** Returns the total number of bytes lost. */
    long sum() {
        return sum;
    }

    /**
     * Adds a gap at a position, which must not be before the last gap. The total is capped at 2^62 - 1 bytes, which
     * only an incorrect report can reach.
     */
    void add(long position, long lost) {
        long total = sum + Math.min(lost, MAX_TOTAL - sum);
        mark(position, total);
        sum = total;
    }

    private void mark(long position, long total) {
        Marks now = marks;
        int count = now.positions.length;
        if (count > 0 && now.positions[count - 1] == position) {
            long[] totals = now.totals.clone();
            totals[count - 1] = total;
            marks = new Marks(now.positions, totals, now.before);
            return;
        }
        long[] positions = Arrays.copyOf(now.positions, count + 1);
        long[] totals = Arrays.copyOf(now.totals, count + 1);
        positions[count] = position;
        totals[count] = total;
        marks = new Marks(positions, totals, now.before);
    }

    /** Removes the gaps that all readers have passed. */
    void forget(long released) {
        Marks now = marks;
        int passed = 0;
        while (passed < now.positions.length && now.positions[passed] < released) {
            passed++;
        }
        if (passed > 0) {
            marks = new Marks(
                    Arrays.copyOfRange(now.positions, passed, now.positions.length),
                    Arrays.copyOfRange(now.totals, passed, now.totals.length),
                    now.totals[passed - 1]);
        }
    }

    /** Returns the number of bytes lost at or before a position. */
    long total(long position) {
        Marks now = marks;
        // Search from the newest to the oldest, because most readers are near the end.
        for (int i = now.positions.length - 1; i >= 0; i--) {
            if (now.positions[i] <= position) {
                return now.totals[i];
            }
        }
        return now.before;
    }

    /**
     * Converts a position that also counts the lost bytes. Returns the log position of the first byte at or after that
     * position.
     */
    long positionOf(long countingLost) {
        Marks now = marks;
        long before = now.before;
        for (int i = 0; i < now.positions.length; i++) {
            if (countingLost < now.positions[i] + before) {
                break;
            }
            if (countingLost < now.positions[i] + now.totals[i]) {
                return now.positions[i];
            }
            before = now.totals[i];
        }
        return countingLost - before;
    }

    /** Returns the position of the first gap after a position, or {@link Long#MAX_VALUE} if there is none. */
    long next(long position) {
        for (long mark : marks.positions) {
            if (mark > position) {
                return mark;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Returns true if no gap is stored. */
    boolean isEmpty() {
        return marks.positions.length == 0;
    }
}

package io.rocketbufs.out;

/**
 * A measurement of how long a reader lags: the time since the log's end was first ahead of the reader's position.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class LagWatch {
    private long mark;
    private long lagMs;

    /**
     * Takes a measurement after {@code elapsedMs} more milliseconds.
     *
     * @param position the reader's position
     * @param end the log's end
     * @return milliseconds, low by at most one interval
     */
    long look(long elapsedMs, long position, long end) {
        if (position >= mark) {
            mark = end;
            lagMs = 0;
        } else {
            lagMs += elapsedMs;
        }
        return lagMs;
    }
}

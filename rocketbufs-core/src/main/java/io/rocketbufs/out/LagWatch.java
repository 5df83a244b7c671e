package io.rocketbufs.out;

/**
 * Measures by how much time a reader lags: how long ago the log ended where the reader has not got to yet.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class LagWatch {
    private long mark;
    private long lagMs;

    /**
     * Looks after {@code elapsedMs} more.
     *
     * @param position where the reader stands
     * @param end where the log ends
     * @return milliseconds, at most one look too few
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

package io.rocketbufs.out;

/**
 * A measurement of how long a delivery waits for a reader.
 *
 * <p>It times one delivery at a time: the newest one at the moment when the reader had passed the one timed before. A
 * delivery that is appended in the meantime is timed only from the next such moment on. So a reader is disconnected no
 * earlier than a delivery has waited for the limit, and when it has waited for about twice the limit at the latest.
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
     * @return milliseconds since the delivery was chosen, 0 when it has just been chosen
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

package io.rocketbufs.out;

/**
 * A measurement of how long a delivery waits for a reader.
 *
 * <p>This watch times one delivery at a time. When the reader has passed the timed delivery, the delivery that is then
 * the newest is timed next. Deliveries between these two are not timed. A reader is therefore disconnected only after a
 * delivery has waited for the time limit, and at the latest when a delivery has waited for about twice the limit.
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
     * @return how long the chosen delivery has been timed, in milliseconds; 0 if it has just been chosen
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

package io.rocketbufs.out;

/**
 * Measures for how long something that should move has not.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class StallWatch {
    private long lastActivity;
    private boolean wasWaiting;
    private long stalledMs;

    /**
     * Looks after {@code elapsedMs} more.
     *
     * @param activity changes whenever something moves
     * @param waiting false when there is nothing to do
     * @return milliseconds without a move, at most one look too few: time with nothing to do does not count
     */
    long look(long elapsedMs, long activity, boolean waiting) {
        stalledMs = waiting && wasWaiting && activity == lastActivity ? stalledMs + elapsedMs : 0;
        lastActivity = activity;
        wasWaiting = waiting;
        return stalledMs;
    }
}

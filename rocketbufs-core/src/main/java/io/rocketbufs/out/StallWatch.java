package io.rocketbufs.out;

/**
 * A measurement of how long an activity has made no progress.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class StallWatch {
    private long lastActivity;
    private boolean wasWaiting;
    private long stalledMs;

    /**
     * Takes a measurement after {@code elapsedMs} more milliseconds.
     *
     * @param activity a number that changes whenever progress is made
     * @param waiting false if there is nothing to do
     * @return how long there has been work without progress, in milliseconds; may be too low by up to one interval
     */
    long look(long elapsedMs, long activity, boolean waiting) {
        stalledMs = waiting && wasWaiting && activity == lastActivity ? stalledMs + elapsedMs : 0;
        lastActivity = activity;
        wasWaiting = waiting;
        return stalledMs;
    }
}

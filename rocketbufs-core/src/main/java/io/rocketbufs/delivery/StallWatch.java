package io.rocketbufs.delivery;

/**
 * Measures for how long something that should move has not.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class StallWatch {
    private long lastProgress;
    private boolean wasWaiting;
    private long stalledMs;

    /**
     * Looks after {@code elapsedMs} more.
     *
     * @param progress changes whenever there is some
     * @param waiting false when there is nothing to do
     * @return milliseconds without progress, at most one look too few: what had nothing to do before is not blamed
     */
    long look(long elapsedMs, long progress, boolean waiting) {
        stalledMs = waiting && wasWaiting && progress == lastProgress ? stalledMs + elapsedMs : 0;
        lastProgress = progress;
        wasWaiting = waiting;
        return stalledMs;
    }
}

package io.rocketbufs.buffer;

/**
 * A meter of the time for which one reader delays a producer.
 *
 * <p>The meter takes samples, and does not know what happens between them. A producer that is faster than its reader
 * waits in almost every sample, however short each wait is. Therefore, time counts only while the reader frees at most
 * a quarter of the buffer per {@value #SAMPLE_MS} ms, because the producer continues after each quarter.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public final class WaitMeter {
    /** The time in which a reader that keeps up frees a quarter of the buffer, in milliseconds. */
    public static final long SAMPLE_MS = 100;

    private final long quarter;
    private long lastPosition;
    private boolean waiting;

    /** Creates a meter for a reader of a buffer with the given capacity. */
    public WaitMeter(long capacity) {
        this.quarter = Math.max(1, capacity / 4);
    }

    /**
     * Takes a sample.
     *
     * @param elapsedMs milliseconds since the last sample; 0 if this time must not count
     * @param position the position up to which the reader has freed the buffer
     * @param waits true when the producer waits until the reader has passed a higher position
     * @return how long the producer has waited since the last sample, in milliseconds
     */
    public long sample(long elapsedMs, long position, boolean waits) {
        boolean slow = (double) (position - lastPosition) * SAMPLE_MS <= (double) quarter * elapsedMs;
        boolean waited = waits && waiting && slow;
        lastPosition = position;
        waiting = waits;
        return waited ? elapsedMs : 0;
    }

    /** Returns the position up to which the reader had freed the buffer in the last sample. */
    public long position() {
        return lastPosition;
    }

    /** Returns true when the producer waited in the last sample. */
    public boolean isWaiting() {
        return waiting;
    }
}

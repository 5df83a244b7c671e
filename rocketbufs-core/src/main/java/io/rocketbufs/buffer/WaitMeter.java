package io.rocketbufs.buffer;

/**
 * A meter for the time for which one reader delays a producer.
 *
 * <p>The meter takes samples and cannot see what happens between them. A producer that is faster than its reader waits
 * in almost every sample, however short each wait is. Because the producer continues as soon as a quarter of the buffer
 * is free, time counts only while the reader frees at most a quarter of the buffer per {@value #SAMPLE_MS} ms.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public final class WaitMeter {
    /** The time within which a reader that keeps up frees a quarter of the buffer, in milliseconds. */
    public static final long SAMPLE_MS = 100;

    private final long quarter;
    private long lastPosition;
    private boolean waiting;

    /** Creates a meter for one reader of a buffer with the given capacity in bytes. */
    public WaitMeter(long capacity) {
        this.quarter = Math.max(1, capacity / 4);
    }

    /**
     * Takes a sample.
     *
     * @param elapsedMs milliseconds since the last sample; 0 to exclude this time
     * @param position the position up to which the reader has freed the buffer
     * @param waits true if the producer is waiting for the reader to pass a higher position
     * @return the milliseconds since the last sample if the producer waited that long for a slow reader; otherwise 0
     */
    public long sample(long elapsedMs, long position, boolean waits) {
        boolean slow = (double) (position - lastPosition) * SAMPLE_MS <= (double) quarter * elapsedMs;
        boolean waited = waits && waiting && slow;
        lastPosition = position;
        waiting = waits;
        return waited ? elapsedMs : 0;
    }

    /** Returns the position up to which the reader had freed the buffer at the last sample. */
    public long position() {
        return lastPosition;
    }

    /** Returns true if the producer was waiting at the last sample. */
    public boolean isWaiting() {
        return waiting;
    }
}

package io.rocketbufs.out;

import io.rocketbufs.buffer.WaitMeter;

/**
 * The episodes in which one subscription delays its producer:
 *
 * <pre>
 *             waits               for 200 ms              no longer waits
 *   CLEAR ------------&gt; SUSPECT ------------&gt; SLOW ---------------------------&gt; RECOVERING
 *     ^ ^                  |                   ^                                 |     |
 *     | +-- does not wait -+                   +------------- waits -------------+     |
 *     +------------------------------ has not waited for 1 s --------------------------+
 * </pre>
 *
 * An episode lasts from SLOW to the return to CLEAR, and its duration includes the time in SUSPECT. When the
 * subscription ends, the stage becomes CLEAR.
 *
 * <p><b>Thread-safety:</b> changed by one thread; any thread may read the numbers.
 */
final class SlowEpisode {
    /**
     * How long the producer must have waited before an episode begins; longer than the wait that a single sample can
     * contribute.
     */
    static final long LEAST_MS = 2 * WaitMeter.SAMPLE_MS;

    /** How long the producer must have continued without waiting before an episode ends. */
    static final long RECOVERY_MS = 1000;

    private enum Stage {
        CLEAR,
        SUSPECT,
        SLOW,
        RECOVERING
    }

    /** The result of a sample. */
    enum Change {
        NONE,
        BEGAN,
        ENDED
    }

    private volatile Stage stage = Stage.CLEAR;
    /** Milliseconds since the producer last waited. */
    private long freeMs;

    private volatile long episodeMs;
    private volatile long delayMs;
    private volatile long totalDelayMs;
    private volatile long worstPendingLength;

    /**
     * Advances by {@code elapsedMs} milliseconds. If {@code elapsedMs} is 0, the sample contains no information about
     * the producer, and can only end the stage SUSPECT.
     *
     * @param waitedMs number of these milliseconds for which the producer waited; an episode counts them from the
     *     beginning of SUSPECT
     * @param pendingLength number of bytes waiting for the subscriber
     */
    Change advance(long elapsedMs, long waitedMs, long pendingLength) {
        return waitedMs > 0 ? block(elapsedMs, waitedMs, pendingLength) : free(elapsedMs);
    }

    private Change block(long elapsedMs, long waitedMs, long pendingLength) {
        boolean wasSlow = isSlow();
        if (stage == Stage.CLEAR) {
            stage = Stage.SUSPECT;
            episodeMs = 0;
            delayMs = 0;
            worstPendingLength = 0;
        }
        freeMs = 0;
        episodeMs += elapsedMs;
        delayMs += waitedMs;
        worstPendingLength = Math.max(worstPendingLength, pendingLength);
        if (wasSlow) {
            totalDelayMs += waitedMs;
            stage = Stage.SLOW;
            return Change.NONE;
        }
        if (delayMs < LEAST_MS) {
            return Change.NONE;
        }
        totalDelayMs += delayMs;
        stage = Stage.SLOW;
        return Change.BEGAN;
    }

    private Change free(long elapsedMs) {
        if (stage == Stage.CLEAR) {
            return Change.NONE;
        }
        if (stage == Stage.SUSPECT) {
            stage = Stage.CLEAR;
            return Change.NONE;
        }
        if (elapsedMs == 0) {
            return Change.NONE;
        }
        stage = Stage.RECOVERING;
        freeMs += elapsedMs;
        episodeMs += elapsedMs;
        return freeMs >= RECOVERY_MS ? end() : Change.NONE;
    }

    /** Ends the current episode, if any. Its numbers remain available until the next episode. */
    Change end() {
        boolean wasSlow = isSlow();
        stage = Stage.CLEAR;
        return wasSlow ? Change.ENDED : Change.NONE;
    }

    // Any thread.

    /** Returns true during an episode while the producer waits. */
    boolean isDelaying() {
        return stage == Stage.SLOW;
    }

    /** Returns true during an episode. */
    boolean isSlow() {
        Stage now = stage;
        return now == Stage.SLOW || now == Stage.RECOVERING;
    }

    /** Returns the number of milliseconds since the producer began to wait, in the current or last episode. */
    long episodeMs() {
        return episodeMs;
    }

    /** Returns the number of milliseconds for which the producer waited in the current or last episode. */
    long delayMs() {
        return delayMs;
    }

    /** Returns the number of milliseconds for which the producer waited in all episodes. */
    long totalDelayMs() {
        return totalDelayMs;
    }

    /** Returns the highest number of bytes that waited for the subscriber in the current or last episode. */
    long worstPendingLength() {
        return worstPendingLength;
    }
}

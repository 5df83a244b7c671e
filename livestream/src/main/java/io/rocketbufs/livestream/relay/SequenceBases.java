package io.rocketbufs.livestream.relay;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A generator of the first chunk number of each life of a stream. Chunk numbers in playlists must never decrease. In
 * addition, all edges must assign the same number to a chunk, including an edge that connected after a restart of the
 * relay and has not seen the earlier numbers. The chunk numbers of each life of a stream therefore start with the
 * number of seconds since 2020. A source normally produces less than one chunk per second, so its chunk numbers grow
 * more slowly than the clock. Until 2088, the numbers fit into 31 bits, the limit of some players.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SequenceBases {
    /** Seconds from 1970 to 2020. */
    static final long YEAR_2020_S = 1_577_836_800;

    private final LongSupplier clockMs;
    private long next;

    SequenceBases(LongSupplier clockMs) {
        this.clockMs = clockMs;
    }

    /** Returns the first number for a life that starts now. */
    synchronized long begin() {
        return Math.max(next, Math.max(0, TimeUnit.MILLISECONDS.toSeconds(clockMs.getAsLong()) - YEAR_2020_S));
    }

    /**
     * Records the end of a life. This is necessary because some sources' chunk numbers grow faster than the clock.
     *
     * @param after number that follows the last number of that life
     */
    synchronized void end(long after) {
        next = Math.max(next, after);
    }
}

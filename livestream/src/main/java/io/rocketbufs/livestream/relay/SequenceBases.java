package io.rocketbufs.livestream.relay;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The first numbers of streams' chunks. Numbers in playlists must never decrease. All edges must also give a chunk the
 * same number, even an edge that connected after a restart of the relay and does not know earlier numbers. A life of a
 * stream therefore begins with the seconds since 2020. A source normally produces less than one chunk per second, so
 * its numbers grow more slowly than the clock. They fit into 31 bits, the limit of some players, until 2088.
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

    /** Returns the first number of a life of a stream that begins now. */
    synchronized long begin() {
        return Math.max(next, Math.max(0, TimeUnit.MILLISECONDS.toSeconds(clockMs.getAsLong()) - YEAR_2020_S));
    }

    /**
     * Records the number after the last one of a life that has ended, because some sources are faster than the clock.
     */
    synchronized void end(long after) {
        next = Math.max(next, after);
    }
}

package io.rocketbufs.livestream.relay;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Where the numbers of a stream's chunks begin. Playlists must never go back, and all edges must give a chunk the same
 * number, also one that has come after the relay was restarted and knows nothing of the numbers before. So a life of a
 * stream begins with the seconds since 2020: a source makes less than a chunk a second, so its numbers stay behind the
 * clock. They fit into 31 bits, which is all that some players have, until 2088.
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

    /** Returns where a life of a stream that begins now begins to count. */
    synchronized long begin() {
        return Math.max(next, Math.max(0, TimeUnit.MILLISECONDS.toSeconds(clockMs.getAsLong()) - YEAR_2020_S));
    }

    /** Takes note of the number after the last of a life that has ended: some sources are faster than the clock. */
    synchronized void end(long after) {
        next = Math.max(next, after);
    }
}

package io.rocketbufs.livestream.relay;

import io.rocketbufs.livestream.media.ChunkFacts;

/**
 * A detector of discontinuities between chunks, and of two sources that alternately push files to the same stream.
 *
 * <p>The first file of a second source looks like the first file of a restarted source, so it must be accepted. If a
 * later file continues the timestamps of the first source, there are two sources, because a restarted source does not
 * return to its earlier timestamps. The first source then keeps the stream, and every file of the second source except
 * its first one is refused.
 *
 * <p><b>Thread-safety:</b> guarded by the stream's lock.
 */
final class SourceRuns {
    private static final long TOLERANCE_US = 500_000;
    /**
     * Distance after which MPEG-TS timestamps wrap: 2^33 ticks of a 90 kHz clock. MP4 timestamps do not wrap, but
     * treating them alike is harmless, because they do not jump by exactly this distance.
     */
    private static final long WRAP_US = (1L << 33) * 100 / 9;

    /** A sequence of chunks without a discontinuity. */
    private record MediaRun(int number, long endUs) {
        boolean isContinuedBy(long startUs) {
            long distance = Math.floorMod(startUs - endUs, WRAP_US);
            return Math.min(distance, WRAP_US - distance) <= TOLERANCE_US;
        }
    }

    private MediaRun current;
    /** The run before the current run; later chunks may continue it. */
    private MediaRun other;

    private int count;

    /** Returns true if a chunk is from the second source and must be discarded. */
    boolean refuses(ChunkFacts facts, long durationUs) {
        boolean isOthers = facts.startUs() != ChunkFacts.UNKNOWN
                && current != null
                && !current.isContinuedBy(facts.startUs())
                && other != null
                && other.number > current.number
                && other.isContinuedBy(facts.startUs());
        if (isOthers) {
            other = new MediaRun(other.number, facts.startUs() + durationUs);
        }
        return isOthers;
    }

    /**
     * Accepts a chunk.
     *
     * @return false if the chunk does not continue the previous one
     */
    boolean take(ChunkFacts facts, long durationUs) {
        long startUs = facts.startUs();
        if (startUs == ChunkFacts.UNKNOWN) {
            return true;
        }
        boolean isFirst = current == null;
        boolean continues = isFirst || current.isContinuedBy(startUs);
        if (!continues) {
            MediaRun before = current;
            current = other != null && other.isContinuedBy(startUs) ? other : new MediaRun(++count, startUs);
            other = before;
        }
        current = new MediaRun(isFirst ? count : current.number, startUs + durationUs);
        return continues;
    }
}

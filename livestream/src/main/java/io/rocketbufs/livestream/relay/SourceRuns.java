package io.rocketbufs.livestream.relay;

import io.rocketbufs.livestream.media.ChunkFacts;

/**
 * A detector of chunks that do not continue the one before, and of two sources that push their files alternately.
 *
 * <p>The first file of a second source looks like that of a restarted source, so it must be accepted. If the time
 * stamps then show that the first source continues where it stopped, there are two sources, because a restarted source
 * does not do that. The older source keeps the stream, and the other one is refused starting with its second file.
 *
 * <p><b>Thread-safety:</b> under the lock of its stream.
 */
final class SourceRuns {
    private static final long TOLERANCE_US = 500_000;
    /** Time stamps of MPEG-TS wrap after 2^33 ticks of 90 kHz; those of MP4 do not, but none jumps by exactly that. */
    private static final long WRAP_US = (1L << 33) * 100 / 9;

    /** A run of media without a gap. */
    private record MediaRun(int number, long endUs) {
        boolean isContinuedBy(long startUs) {
            long distance = Math.floorMod(startUs - endUs, WRAP_US);
            return Math.min(distance, WRAP_US - distance) <= TOLERANCE_US;
        }
    }

    private MediaRun current;
    /** The run before the current one, which may continue. */
    private MediaRun other;

    private int count;

    /** Returns true for a chunk of a source that must not have the stream; such a chunk has no effect. */
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
     * @return false when it does not continue the one before it
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

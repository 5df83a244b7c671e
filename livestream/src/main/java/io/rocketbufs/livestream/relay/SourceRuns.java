package io.rocketbufs.livestream.relay;

import io.rocketbufs.livestream.media.ChunkFacts;

/**
 * Tells whether a chunk continues the one before it, and tells two sources apart that take turns with their files.
 *
 * <p>The first file of a second source looks just like that of a source that has been restarted, so it must be let in.
 * But then the first goes on where it was, by the time stamps in its media, and that is what no restarted source does:
 * two of them are there. The older one keeps the stream, and from its second file on the other is refused.
 *
 * <p><b>Thread-safety:</b> under the lock of its stream.
 */
final class SourceRuns {
    private static final long TOLERANCE_US = 500_000;
    /** Time stamps of MPEG-TS wrap after 2^33 ticks of 90 kHz; those of MP4 do not, but none jumps by just that. */
    private static final long WRAP_US = (1L << 33) * 100 / 9;

    /** Media without a gap. */
    private record MediaRun(int number, long endUs) {
        boolean isContinuedBy(long startUs) {
            long distance = Math.floorMod(startUs - endUs, WRAP_US);
            return Math.min(distance, WRAP_US - distance) <= TOLERANCE_US;
        }
    }

    private MediaRun current;
    /** What came before the current one, and might go on. */
    private MediaRun other;

    private int count;

    /** True for a chunk of a source that may not have the stream: it is as if it had not come. */
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
     * Takes a chunk.
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

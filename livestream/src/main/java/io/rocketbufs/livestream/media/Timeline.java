package io.rocketbufs.livestream.media;

/**
 * The time stamps of one elementary stream within a chunk, 33 bits of 90 kHz that wrap after 26 hours.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class Timeline {
    private static final long WRAP = 1L << 33;

    private long first = -1;
    private long least;
    private long most;
    private int count;

    void add(long pts) {
        if (first < 0) {
            first = pts;
        }
        long distance = distance(first, pts);
        least = Math.min(least, distance);
        most = Math.max(most, distance);
        count++;
    }

    int count() {
        return count;
    }

    /** Time stamp of what is shown first; pictures are sent in another order than they are shown. */
    long start() {
        return Math.floorMod(first + least, WRAP);
    }

    /** From the first to the end of the last, which is taken to be as long as the others are on average. */
    long duration() {
        return count < 2 ? 0 : Math.round((double) (most - least) * count / (count - 1));
    }

    /** How much later one time stamp is than another; less than 13 hours either way. */
    static long distance(long from, long to) {
        long distance = Math.floorMod(to - from, WRAP);
        return distance >= WRAP / 2 ? distance - WRAP : distance;
    }

    static long toMicros(long ticks) {
        return ticks * 100 / 9;
    }
}

package io.rocketbufs.livestream.media;

/**
 * The time stamps of one elementary stream within a chunk, 33 bits of 90 kHz that wrap after 26 hours.
 *
 * <p>Time stamps may jump, for example where a source appends one recording to another. The distance across a jump is
 * not a duration: what comes before it and what comes after it are measured separately and added up.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class Timeline {
    private static final long WRAP = 1L << 33;
    private static final long TICKS_PER_S = 90_000;
    /** Successive time stamps that are further apart than this have jumped. */
    static final long MAX_STEP = 5 * TICKS_PER_S;
    /**
     * How far the next chunk may begin from the measured end of this one; its last picture may stay a little longer.
     */
    private static final long TOLERANCE = TICKS_PER_S / 2;

    private long start = -1;
    private boolean jumped;
    /** Ticks up to the last jump. */
    private long beforeJump;

    // Since the last jump.
    private long first;
    private long last;
    private long least;
    private long most;
    private int count;
    private long longestStep;
    private long lengthBeforeLast;
    private long lastLength;

    /** Adds a picture. */
    void add(long pts) {
        add(pts, 0);
    }

    /**
     * Adds a packet of sound, which may hold more or less than others.
     *
     * @param length bytes of sound in the packet; 0 if unknown
     */
    void add(long pts, int length) {
        if (count > 0 && Math.abs(distance(last, pts)) > MAX_STEP) {
            beforeJump = duration();
            jumped = true;
            count = 0;
            lengthBeforeLast = 0;
            lastLength = 0;
        }
        lengthBeforeLast += lastLength;
        lastLength = length;
        if (count == 0) {
            first = pts;
            least = 0;
            most = 0;
        } else {
            longestStep = Math.max(longestStep, Math.abs(distance(last, pts)));
        }
        long distance = distance(first, pts);
        least = Math.min(least, distance);
        most = Math.max(most, distance);
        last = pts;
        count++;
        if (!jumped) {
            start = Math.floorMod(first + least, WRAP);
        }
    }

    /** True before the first time stamp. */
    boolean isEmpty() {
        return start < 0;
    }

    /** Time stamp of what is shown first; pictures are sent in another order than they are shown. */
    long start() {
        return start;
    }

    /**
     * From the first to the end of the last; 0 if unknown. Nothing says how long the last one takes. A picture is taken
     * to be as long as the others are on average, a packet of sound as long as its share of the bytes.
     */
    long duration() {
        if (count < 2) {
            return beforeJump;
        }
        double lasts =
                lengthBeforeLast > 0 && lastLength > 0 ? (double) lastLength / lengthBeforeLast : 1.0 / (count - 1);
        return beforeJump + Math.round((most - least) * (1 + lasts));
    }

    /**
     * Ticks that the chunk takes when the next one begins at a distance from its start: that distance, unless it cannot
     * be, because the time stamps have jumped in between; 0 if unknown.
     */
    long durationUntil(long distance) {
        long measured = duration();
        if (measured == 0) {
            return distance > 0 && distance <= MAX_STEP ? distance : 0;
        }
        return Math.abs(distance - measured) <= Math.max(TOLERANCE, longestStep) ? distance : measured;
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

package io.rocketbufs.livestream.media;

/**
 * The timestamps of one elementary stream within a chunk. They have 33 bits and count ticks of a 90 kHz clock, so they
 * wrap after 26.5 hours.
 *
 * <p>Timestamps may jump, for example where a source appends one recording to another. The distance across a jump is
 * not a duration, so the parts before and after the jump are measured separately and added.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class Timeline {
    private static final long WRAP = 1L << 33;
    private static final long TICKS_PER_S = 90_000;
    /** Maximum distance between successive timestamps; a larger distance is a jump. */
    static final long MAX_STEP = 5 * TICKS_PER_S;
    /**
     * Maximum distance between the measured end of this chunk and the start of the next one; longer distances are
     * jumps. The distance may exceed 0 because the last frame may be displayed longer than the others.
     */
    private static final long TOLERANCE = TICKS_PER_S / 2;

    private long start = -1;
    private boolean jumped;
    /** Duration up to the last jump, in ticks. */
    private long beforeJump;

    // This value and the following ones apply to the part since the last jump.
    private long first;
    private long last;
    private long least;
    private long most;
    private int count;
    private long longestStep;
    private long lengthBeforeLast;
    private long lastLength;

    /** Adds a video frame. */
    void add(long pts) {
        add(pts, 0);
    }

    /**
     * Adds an audio packet. The packets of a stream may differ in length and duration.
     *
     * @param length number of bytes of audio in the packet; 0 if unknown
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

    /** Returns true if no timestamp has been added. */
    boolean isEmpty() {
        return start < 0;
    }

    /**
     * Returns the lowest timestamp, which is not always the first one, because frames are not always sent in display
     * order.
     */
    long start() {
        return start;
    }

    /**
     * Returns the duration from the start of the first frame or packet to the end of the last one; 0 if unknown. The
     * duration of the last frame or packet is estimated. For a video frame, it is the average of all other frames. For
     * an audio packet, it is proportional to the packet's length.
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
     * Returns the duration of the chunk in ticks; 0 if unknown. The duration is the distance from the start of this
     * chunk to the start of the next one, unless the timestamps jump in between.
     */
    long durationUntil(long distance) {
        long measured = duration();
        if (measured == 0) {
            return distance > 0 && distance <= MAX_STEP ? distance : 0;
        }
        return Math.abs(distance - measured) <= Math.max(TOLERANCE, longestStep) ? distance : measured;
    }

    /** Returns the signed distance in ticks between two timestamps, which must be less than 13 hours apart. */
    static long distance(long from, long to) {
        long distance = Math.floorMod(to - from, WRAP);
        return distance >= WRAP / 2 ? distance - WRAP : distance;
    }

    static long toMicros(long ticks) {
        return ticks * 100 / 9;
    }
}

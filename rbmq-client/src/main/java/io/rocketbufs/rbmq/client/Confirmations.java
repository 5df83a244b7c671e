package io.rocketbufs.rbmq.client;

import java.util.Arrays;

/**
 * Tells how many messages end at or before a position, from samples: one for each message while few are on their way,
 * and fewer the more there are. So the number may be too low by what lies between two samples, never too high.
 *
 * <p>There is memory for as many samples as there have been at a time, for a publisher may have thousands of topics
 * with little on its way.
 *
 * <p><b>Thread-safety:</b> under the topic's lock.
 */
final class Confirmations {
    private static final int SIZE = 512;
    private static final int FIRST_SIZE = 8;

    private long[] positions = new long[FIRST_SIZE];
    private long[] counts = new long[FIRST_SIZE];
    private int head;
    private int sampleCount;
    private long distance;
    private long lastPosition;
    private long confirmedCount;

    /** {@code count} messages end at {@code position}. */
    void published(long position, long count) {
        if (position - lastPosition >= distance) {
            if (sampleCount == positions.length) {
                grow();
            }
            int slot = slot(sampleCount++);
            positions[slot] = position;
            counts[slot] = count;
            lastPosition = position;
        }
    }

    private void grow() {
        positions = unwound(positions);
        counts = unwound(counts);
        head = 0;
    }

    /** Twice as long, with what begins at the head and wraps around the end at the beginning. */
    private long[] unwound(long[] ring) {
        long[] grown = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
        System.arraycopy(ring, 0, grown, ring.length - head, head);
        return grown;
    }

    /** True when {@link #makeRoom} must come before more is published: so that it has a chance before memory grows. */
    boolean isFull() {
        return sampleCount == positions.length;
    }

    /** Forgets what is confirmed, and every other sample if that is not enough. */
    void makeRoom(long confirmedPosition) {
        countAt(confirmedPosition);
        if (sampleCount > SIZE / 2) {
            thinOut();
        }
    }

    private void thinOut() {
        distance = Math.max(1, 2 * Math.max(distance, (lastPosition - positions[head]) / SIZE));
        int kept = 0;
        // The newest is kept, for it tells when everything is confirmed.
        for (int i = sampleCount % 2 == 0 ? 1 : 0; i < sampleCount; i += 2) {
            int from = slot(i);
            int to = slot(kept++);
            positions[to] = positions[from];
            counts[to] = counts[from];
        }
        sampleCount = kept;
    }

    /** How many messages are certain to end at or before a position, which never decreases. */
    long countAt(long position) {
        while (sampleCount > 0 && positions[head] <= position) {
            confirmedCount = counts[head];
            head = slot(1);
            sampleCount--;
        }
        if (sampleCount == 0) {
            distance = 0;
        }
        return confirmedCount;
    }

    private int slot(int sample) {
        return head + sample & positions.length - 1;
    }
}

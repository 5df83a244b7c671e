package io.rocketbufs.rbmq.client;

import java.util.Arrays;

/**
 * A count of the messages that end at or before a position, based on samples. While few messages are unconfirmed, each
 * of them has a sample. As their number grows, fewer messages have a sample. The count may therefore be too low by the
 * number of messages between two samples, but it is never too high.
 *
 * <p>The arrays start small and grow with the number of samples, because a publisher may have thousands of topics with
 * few unconfirmed messages each.
 *
 * <p><b>Thread-safety:</b> guarded by the topic's lock.
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

    /** Records that {@code count} messages end at or before {@code position}. */
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

    /** Returns an array of twice the length that contains the ring's entries in order, starting at the head. */
    private long[] unwound(long[] ring) {
        long[] grown = Arrays.copyOfRange(ring, head, head + 2 * ring.length);
        System.arraycopy(ring, 0, grown, ring.length - head, head);
        return grown;
    }

    /**
     * Returns true if the arrays are full. The caller must then call {@link #makeRoom} before the next message, to
     * remove samples if possible before the arrays grow.
     */
    boolean isFull() {
        return sampleCount == positions.length;
    }

    /** Removes the confirmed samples and, if too many remain, every second one of the remaining samples. */
    void makeRoom(long confirmedPosition) {
        countAt(confirmedPosition);
        if (sampleCount > SIZE / 2) {
            thinOut();
        }
    }

    private void thinOut() {
        distance = Math.max(1, 2 * Math.max(distance, (lastPosition - positions[head]) / SIZE));
        int kept = 0;
        // The newest sample is kept, because it shows when all messages are confirmed.
        for (int i = sampleCount % 2 == 0 ? 1 : 0; i < sampleCount; i += 2) {
            int from = slot(i);
            int to = slot(kept++);
            positions[to] = positions[from];
            counts[to] = counts[from];
        }
        sampleCount = kept;
    }

    /**
     * Returns the number of messages that are certain to end at or before a position. The position must not decrease
     * from one call to the next.
     */
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

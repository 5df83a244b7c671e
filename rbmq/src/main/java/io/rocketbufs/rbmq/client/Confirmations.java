package io.rocketbufs.rbmq.client;

/**
 * Tells how many messages end at or before a position, from samples: one for each message while few are on their way,
 * and fewer the more there are. So the number may be too low by what lies between two samples, never too high.
 *
 * <p><b>Thread-safety:</b> under the topic's lock.
 */
final class Confirmations {
    private static final int SIZE = 512;

    private final long[] positions = new long[SIZE];
    private final long[] counts = new long[SIZE];
    private int head;
    private int sampleCount;
    private long distance;
    private long lastPosition;
    private long confirmedCount;

    /** {@code count} messages end at {@code position}. */
    void published(long position, long count) {
        if (position - lastPosition >= distance) {
            int slot = head + sampleCount++ & SIZE - 1;
            positions[slot] = position;
            counts[slot] = count;
            lastPosition = position;
        }
    }

    /** True when {@link #makeRoom} must come before more is published. */
    boolean isFull() {
        return sampleCount == SIZE;
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
            int from = head + i & SIZE - 1;
            int to = head + kept++ & SIZE - 1;
            positions[to] = positions[from];
            counts[to] = counts[from];
        }
        sampleCount = kept;
    }

    /** How many messages are certain to end at or before a position, which never decreases. */
    long countAt(long position) {
        while (sampleCount > 0 && positions[head] <= position) {
            confirmedCount = counts[head];
            head = head + 1 & SIZE - 1;
            sampleCount--;
        }
        if (sampleCount == 0) {
            distance = 0;
        }
        return confirmedCount;
    }
}

package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import java.util.Arrays;
import java.util.Random;

/**
 * A producer that delivers a {@link Pattern} into one buffer. One thread at a time may deliver; any thread may query
 * the deliveries.
 */
final class Sent {
    private final ROut out;
    private final int bufferId;
    private final Pattern pattern;
    /** The positions at which deliveries end, in ascending order, preceded by the start of the stream. */
    private long[] ends = new long[64];

    private int endCount;
    private volatile long length;

    Sent(ROut out, int bufferId, long seed) {
        this.out = out;
        this.bufferId = bufferId;
        this.pattern = new Pattern(seed);
    }

    /** Delivers the given number of bytes after waiting for space. */
    Sent deliver(int count) {
        Segment segment = out.getOutputSegment(bufferId, count, true);
        if (segment.vecCount() <= 0) {
            throw new AssertionError("no space for " + count + " bytes after " + length + ": " + segment);
        }
        return deliver(segment, count);
    }

    /** Delivers the given number of bytes without waiting; returns false if there is no space. */
    boolean offer(int count) {
        Segment segment = out.getOutputSegment(bufferId, count, false);
        if (segment.vecCount() > 0) {
            deliver(segment, count);
            return true;
        }
        return false;
    }

    /** Delivers the given number of bytes into an overwriting buffer. May briefly wait for pending writes. */
    Sent overwrite(int count) {
        eventually(
                () -> {
                    Segment segment = out.getOutputSegment(bufferId, count, false);
                    if (segment.vecCount() < 0) {
                        assertThat(segment).isSameAs(Segment.WRITES_PENDING);
                        return false;
                    }
                    deliver(segment, count);
                    return true;
                },
                () -> "space for " + count + " bytes after " + length);
        return this;
    }

    /** Makes the given number of deliveries of equal length, and waits for space before each of them. */
    Sent deliver(int count, int times) {
        for (int i = 0; i < times; i++) {
            deliver(count);
        }
        return this;
    }

    /** Delivers pieces of random length, up to {@code longest}, until {@code total} bytes are delivered. */
    Sent deliverRandomly(long total, int longest, long seed) {
        Random random = new Random(seed);
        while (length < total) {
            deliver((int) Math.min(total - length, 1 + random.nextInt(longest)));
        }
        return this;
    }

    /** Makes deliveries of the given length while there is space. Returns the total number of bytes delivered. */
    long fill(int count) {
        long before = length;
        while (offer(count)) {
            continue;
        }
        return length - before;
    }

    /**
     * Makes deliveries of the given length until the buffer is nearly full.
     *
     * @param least minimum total number of bytes delivered
     * @param most maximum number of bytes for which there is space
     */
    Sent fillUp(int count, long least, long most) {
        eventually(
                () -> {
                    fill(count);
                    return length >= least;
                },
                () -> "space up to " + least + ", now " + length);
        assertThat(length).isLessThanOrEqualTo(most);
        return this;
    }

    /** Fills the start of a segment and delivers it. */
    Sent deliver(Segment segment, int count) {
        return deliver(segment, count, null);
    }

    /** Fills the start of a segment and delivers it with a context. */
    Sent deliver(Segment segment, int count, Object context) {
        pattern.fill(segment, length, count);
        // Counted before the delivery, because the receiver may query the length immediately.
        length += count;
        addEnd(length);
        out.deliver(segment, count, context);
        return this;
    }

    private synchronized void addEnd(long end) {
        endCount++;
        if (endCount == ends.length) {
            ends = Arrays.copyOf(ends, 2 * endCount);
        }
        ends[endCount] = end;
    }

    /** Returns the number of bytes delivered so far. */
    long length() {
        return length;
    }

    /** Returns true if a delivery ends at the given position. */
    synchronized boolean endsAt(long position) {
        return Arrays.binarySearch(ends, 0, endCount + 1, position) >= 0;
    }

    /** Returns the position at which the delivery with the given bytes starts. */
    synchronized long find(Segment data) {
        byte[] bytes = Pattern.bytes(data);
        return Arrays.stream(ends, 0, endCount + 1)
                .filter(start -> pattern.firstWrong(bytes, start) < 0)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no delivery starts with these bytes"));
    }

    /** Returns the number of deliveries so far. */
    synchronized int count() {
        return endCount;
    }
}

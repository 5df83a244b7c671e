package io.rocketbufs;

import io.rocketbufs.out.OutputBuffer;
import java.util.Arrays;

/**
 * A pool of reusable segments for one output buffer.
 *
 * <p><b>Thread-safety:</b> used only by the buffer's producing thread.
 */
final class OutputSegments {
    private final int bufferId;
    private final OutputBuffer buffer;
    private Segment[] idle = new Segment[4];
    private int idleCount;

    OutputSegments(int bufferId, OutputBuffer buffer) {
        this.bufferId = bufferId;
        this.buffer = buffer;
    }

    int bufferId() {
        return bufferId;
    }

    OutputBuffer buffer() {
        return buffer;
    }

    Segment get(long length, boolean blocking) {
        try {
            long position = blocking ? buffer.reserveBlocking(length) : buffer.reserve(length);
            return position < 0 ? refusal(position) : take().set(position, length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Segment.INTERRUPTED;
        }
    }

    long deliver(Segment segment, long length, Object context) {
        long number = buffer.deliver(segment.position(), segment.length(), length, context);
        add(segment);
        return number;
    }

    int deliverAll(Segment segment, int[] lengths, int count, Object[] contexts) {
        checkLengths(segment.length(), lengths, count);
        int made = buffer.deliverAll(segment.position(), segment.length(), lengths, count, contexts);
        if (made == count) {
            add(segment);
        } else {
            long delivered = sum(lengths, made);
            segment.set(segment.position() + delivered, segment.length() - delivered);
        }
        return made;
    }

    private static void checkLengths(long available, int[] lengths, int count) {
        for (int i = 0; i < count; i++) {
            if (lengths[i] < 1) {
                throw new IllegalArgumentException("lengths[" + i + "]=" + lengths[i] + " must be positive");
            }
        }
        if (count < 1 || sum(lengths, count) > available) {
            throw new IllegalArgumentException("count=" + count + " must be positive, and the sum of the lengths, "
                    + sum(lengths, Math.max(0, count)) + ", must not exceed segment.length=" + available);
        }
    }

    private static long sum(int[] lengths, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += lengths[i];
        }
        return sum;
    }

    private void add(Segment segment) {
        if (idleCount == idle.length) {
            idle = Arrays.copyOf(idle, 2 * idleCount);
        }
        idle[idleCount++] = segment;
    }

    private Segment take() {
        return idleCount == 0 ? Segment.of(this, buffer.memory()) : idle[--idleCount];
    }

    static Segment refusal(long reason) {
        if (reason == OutputBuffer.NO_SPACE) {
            return Segment.NO_SPACE;
        }
        if (reason == OutputBuffer.NO_RECORD) {
            return Segment.NO_RECORD;
        }
        return reason == OutputBuffer.WRITES_PENDING ? Segment.WRITES_PENDING : Segment.CLOSED;
    }
}

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
        if (idleCount == idle.length) {
            idle = Arrays.copyOf(idle, 2 * idleCount);
        }
        idle[idleCount++] = segment;
        return number;
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

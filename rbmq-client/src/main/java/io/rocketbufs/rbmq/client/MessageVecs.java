package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Views of one message within a segment, for callers that use buffers rather than single values. Each view is created
 * on first use and then reused.
 *
 * <p><b>Thread-safety:</b> the thread to which the message belongs.
 */
final class MessageVecs {
    private final ByteBuffer[] sources = new ByteBuffer[2];
    private final ByteBuffer[] views = new ByteBuffer[2];

    /** Returns the number of vecs of the message of {@code length} bytes that starts at {@code start}. */
    int count(Segment segment, long start, int length) {
        long headLength = segment.vec(0).remaining();
        return length == 0 ? 0 : start < headLength && start + length > headLength ? 2 : 1;
    }

    /** Returns one of the message's vecs; the message's bytes are between its position and limit. */
    ByteBuffer vec(Segment segment, long start, int length, int i) {
        int count = count(segment, start, length);
        if (i < 0 || i >= count) {
            throw new IndexOutOfBoundsException("vec=" + i + " vecCount=" + count);
        }
        int headLength = segment.vec(0).remaining();
        if (start >= headLength) {
            return view(segment, 1, (int) start - headLength, length);
        }
        int inHead = (int) Math.min(length, headLength - start);
        return i == 0 ? view(segment, 0, (int) start, inHead) : view(segment, 1, 0, length - inHead);
    }

    private ByteBuffer view(Segment segment, int vec, int from, int length) {
        ByteBuffer source = segment.vec(vec);
        if (sources[vec] != source) {
            sources[vec] = source;
            views[vec] = source.duplicate();
        }
        int offset = source.position() + from;
        // Position, limit and byte order are reset, because the caller may have changed them in an earlier view.
        return views[vec]
                .clear()
                .order(ByteOrder.BIG_ENDIAN)
                .limit(offset + length)
                .position(offset);
    }
}

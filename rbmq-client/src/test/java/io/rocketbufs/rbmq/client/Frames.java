package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.Segments;
import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames as bytes, both those that a publisher writes and those that only a hostile peer sends. */
final class Frames {
    private static final int CAPACITY = 1 << 17;
    private static final CircularBuffer MEMORY =
            new CircularBuffer(new MemoryPool(CAPACITY).allocate(CAPACITY), CAPACITY);

    private Frames() {}

    /** Returns the frame of a message with headers, as a publisher writes it. */
    static synchronized byte[] of(Headers headers, byte[] payload) {
        int bodyLength = headers.encodedLength() + payload.length;
        byte[] frame = new byte[4 + bodyLength];
        Segment segment = Segments.writable(MEMORY, 0, frame.length);
        segment.putInt(0, bodyLength);
        segment.put(headers.write(segment, 0, bodyLength), payload, 0, payload.length);
        segment.get(0, frame, 0, frame.length);
        return frame;
    }

    /** Returns the frame of a message without headers. */
    static byte[] of(String payload) {
        return of(new Headers(), payload.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a frame with bit 31 of its length field set, followed by the given bytes. */
    static byte[] marked(byte... body) {
        return withLength(body.length, body);
    }

    /** Returns a frame whose length field contains the given value with bit 31 set. */
    static byte[] withLength(int length, byte... body) {
        return ByteBuffer.allocate(4 + body.length)
                .putInt(length | 1 << 31)
                .put(body)
                .array();
    }

    /** Returns the bytes of the given numbers, texts and arrays. */
    static byte[] bytes(Object... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof String text) {
                bytes.writeBytes(text.getBytes(StandardCharsets.UTF_8));
            } else if (part instanceof byte[] some) {
                bytes.writeBytes(some);
            } else {
                bytes.write((Integer) part);
            }
        }
        return bytes.toByteArray();
    }
}

package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.Segments;
import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A reader of frames that a test puts anywhere into circular memory, with records of the messages that it found. */
final class ReadFrames implements AutoCloseable {
    private final MemoryPool pool = new MemoryPool(1 << 17);
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Received> messages = new ArrayList<>();
    private final FrameReader reader;
    private MessageHandler handler = this::record;

    /** A copy of a message. Each header is a key followed by the hexadecimal digits of its value. */
    record Received(List<String> headers, String payload) {}

    ReadFrames() {
        TopicSubscription subscription = new TopicSubscription(1, "t", message -> handler.onMessage(message), null);
        reader = new FrameReader(subscription, 7, failures::add);
    }

    /** Sets a handler instead of the one that records messages. */
    void handler(MessageHandler other) {
        handler = other;
    }

    /** Returns new memory in which positions begin at the first byte. */
    CircularBuffer memory(int capacity) {
        return new CircularBuffer(pool.allocate(capacity), capacity);
    }

    /** Reads a transfer at the beginning of memory. Returns false when a frame is malformed. */
    boolean read(byte[] transfer) {
        return read(memory(transfer.length), 0, transfer);
    }

    /** Reads a transfer at an offset in memory. Returns false when a frame is malformed. */
    boolean read(CircularBuffer memory, int offset, byte[] transfer) {
        messages.clear();
        Segment whole = Segments.writable(memory, offset, transfer.length);
        whole.put(0, transfer, 0, transfer.length);
        boolean wellFormed = reader.read(Segments.received(memory, offset, transfer.length));
        if (!failures.isEmpty()) {
            throw new AssertionError("the handler failed", failures.get(0));
        }
        return wellFormed;
    }

    FrameReader reader() {
        return reader;
    }

    /** Returns the messages of the last transfer. */
    List<Received> messages() {
        return messages;
    }

    private void record(Message message) {
        List<String> headers = new ArrayList<>();
        message.headers().forEach(header -> headers.add(header.key() + " " + hex(header.toBytes())));
        messages.add(new Received(headers, hex(message.toBytes())));
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() {
        pool.close();
    }
}

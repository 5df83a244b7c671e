package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.Segments;
import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A reader of frames that a test puts anywhere into circular memory. It records the messages that it finds. */
final class ReadFrames implements AutoCloseable {
    private final MemoryPool pool = new MemoryPool(1 << 17);
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Received> messages = new ArrayList<>();
    private final FrameReader reader = new FrameReader("t", 7);
    private MessageHandler handler = message -> messages.add(Received.of(message));
    private final Subscription subscription = subscription(message -> handler.onMessage(message));
    private long payloadLength;

    /** A copy of a message. Each header is its key followed by its value in hexadecimal digits. */
    record Received(List<String> headers, String payload) {
        static Received of(Message message) {
            List<String> headers = new ArrayList<>();
            message.headers().forEach(header -> headers.add(header.key() + " " + hex(header.toBytes())));
            return new Received(headers, hex(message.toBytes()));
        }
    }

    ReadFrames() {
        handTo(subscription);
    }

    /** Returns a subscription to the topic of the frames. */
    static Subscription subscription(MessageHandler handler) {
        return subscription("t", handler);
    }

    /** Returns a subscription to a topic or filter. */
    static Subscription subscription(String filter, MessageHandler handler) {
        SubscriptionOwner<Subscription> owner = new SubscriptionOwner<>() {
            @Override
            public void onClose(Subscription closed) {}

            @Override
            public void onResume(Runnable reading) {
                reading.run();
            }

            @Override
            public void onReading(Subscription resumed) {
                resumed.onResumed();
            }

            @Override
            public void onFailure(Subscription failed, String topic, int publisher, Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onFatal(Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onRejected(Subscription rejected) {
                throw new AssertionError(rejected.rejection());
            }
        };
        return new Subscription(1, TopicFilter.of(filter), handler, SubscriptionOptions.DEFAULTS, null, 1, owner);
    }

    /** Makes the reader hand the messages to the given subscriptions instead of the handler. */
    void handTo(Subscription... recipients) {
        reader.handTo(Recipients.of(List.of(recipients), (to, failure) -> failures.add(failure)));
    }

    /** Sets a handler to replace the one that records messages. */
    void handler(MessageHandler other) {
        handler = other;
    }

    /** Returns new memory in which positions start at the first byte. */
    CircularBuffer memory(int capacity) {
        return new CircularBuffer(pool.allocate(capacity), capacity);
    }

    /** Reads a transfer at the beginning of new memory. Returns false if a frame is malformed. */
    boolean read(byte[] transfer) {
        return read(memory(transfer.length), 0, transfer);
    }

    /** Reads a transfer at an offset in memory. Returns false if a frame is malformed. */
    boolean read(CircularBuffer memory, int offset, byte[] transfer) {
        messages.clear();
        long lengthBefore = subscription.receivedLength();
        FrameReader.Ending ending = reader.read(arrived(memory, offset, transfer), transfer.length);
        payloadLength = subscription.receivedLength() - lengthBefore;
        if (!failures.isEmpty()) {
            throw new AssertionError("the handler failed", failures.get(0));
        }
        return ending == FrameReader.Ending.COMPLETE;
    }

    /** Puts a transfer into memory at an offset. */
    static Segment arrived(CircularBuffer memory, int offset, byte[] transfer) {
        Segments.writable(memory, offset, transfer.length).put(0, transfer, 0, transfer.length);
        return Segments.received(memory, offset, transfer.length);
    }

    FrameReader reader() {
        return reader;
    }

    /** Returns the messages of the last transfer. */
    List<Received> messages() {
        return messages;
    }

    /** Returns the total length in bytes of these messages, excluding their headers. */
    long payloadLength() {
        return payloadLength;
    }

    /** Returns the exceptions thrown by the handlers of {@link #handTo}. */
    List<Throwable> failures() {
        return failures;
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() {
        pool.close();
    }
}

package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A publisher to one topic. Publishing through it saves a topic lookup for each message.
 *
 * <p><b>Thread-safety:</b> any thread; the messages of one thread arrive in the order in which it published them.
 */
public final class TopicPublisher implements AutoCloseable {
    /** About 292 years. */
    private static final long FOREVER = Long.MAX_VALUE;

    private final TopicOutput output;

    TopicPublisher(TopicOutput output) {
        this.output = output;
    }

    /** Returns the topic. */
    public String topic() {
        return output.topic();
    }

    /** Returns the length of the longest message in bytes, including the {@link Headers#encodedLength()} of headers. */
    public int longestMessage() {
        return output.longestMessage();
    }

    /**
     * Returns a future that completes when the broker has accepted the topic, and fails with a TransportException when
     * the broker refuses it.
     */
    public CompletableFuture<Void> announced() {
        return output.announced();
    }

    /**
     * Returns false when the broker has reported that the topic has no subscribers. A program can then save the work of
     * making a message. The value is up to date when {@link #announced()} completes; before that, and when the broker
     * does not report it, this method returns true. After the topic has ended, it returns the last value.
     */
    public boolean hasSubscribers() {
        return output.hasSubscribers();
    }

    /**
     * Publishes a message, and waits for space if necessary. Must not be called on a worker.
     *
     * @return any result except NO_SPACE
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     * @throws IllegalStateException when there is no space and this thread must not wait: it is a worker or has an open
     *     claim
     */
    public PublishResult publish(byte[] message) {
        return publish(message, 0, message.length);
    }

    /** Publishes part of an array; otherwise like {@link #publish(byte[])}. */
    public PublishResult publish(byte[] message, int offset, int length) {
        return publishWithin(message, offset, length, FOREVER);
    }

    /**
     * Publishes part of an array; like {@link #publish(byte[], int, int)}, but waits for at most {@code timeoutMs}.
     *
     * @return NO_SPACE when the timeout expired before there was space
     */
    public PublishResult publish(byte[] message, int offset, int length, long timeoutMs) {
        return publishWithin(message, offset, length, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    /**
     * Publishes the bytes between a buffer's position and limit, without changing either; otherwise like
     * {@link #publish(byte[])}.
     */
    public PublishResult publish(ByteBuffer message) {
        return publishWithin(message, FOREVER);
    }

    /**
     * Publishes a message if there is space.
     *
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     */
    public PublishResult tryPublish(byte[] message) {
        return tryPublish(message, 0, message.length);
    }

    /** Publishes part of an array; otherwise like {@link #tryPublish(byte[])}. */
    public PublishResult tryPublish(byte[] message, int offset, int length) {
        return publishWithin(message, offset, length, 0);
    }

    /**
     * Publishes the bytes between a buffer's position and limit, without changing either; otherwise like
     * {@link #tryPublish(byte[])}.
     */
    public PublishResult tryPublish(ByteBuffer message) {
        return publishWithin(message, 0);
    }

    /**
     * Publishes a message with headers like {@link #publish(byte[])}. The headers are copied; without headers, this is
     * the same as that method.
     *
     * @throws IllegalArgumentException when message and headers together are longer than {@link #longestMessage()}
     */
    public PublishResult publish(Headers headers, byte[] message) {
        return publish(headers, message, 0, message.length);
    }

    /** Publishes part of an array with headers like {@link #publish(Headers, byte[])}. */
    public PublishResult publish(Headers headers, byte[] message, int offset, int length) {
        return publishWithin(headers, message, offset, length, FOREVER);
    }

    /**
     * Publishes part of an array with headers like {@link #publish(Headers, byte[])}, but waits for at most
     * {@code timeoutMs}.
     *
     * @return NO_SPACE when the timeout expired before there was space
     */
    public PublishResult publish(Headers headers, byte[] message, int offset, int length, long timeoutMs) {
        return publishWithin(headers, message, offset, length, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    /**
     * Publishes the bytes between a buffer's position and limit with headers like {@link #publish(Headers, byte[])};
     * does not change either.
     */
    public PublishResult publish(Headers headers, ByteBuffer message) {
        return publishWithin(headers, message, FOREVER);
    }

    /**
     * Publishes a message with headers if there is space. The headers are copied.
     *
     * @throws IllegalArgumentException when message and headers together are longer than {@link #longestMessage()}
     */
    public PublishResult tryPublish(Headers headers, byte[] message) {
        return tryPublish(headers, message, 0, message.length);
    }

    /** Publishes part of an array with headers like {@link #tryPublish(Headers, byte[])}. */
    public PublishResult tryPublish(Headers headers, byte[] message, int offset, int length) {
        return publishWithin(headers, message, offset, length, 0);
    }

    /**
     * Publishes the bytes between a buffer's position and limit with headers like {@link #tryPublish(Headers, byte[])};
     * does not change either.
     */
    public PublishResult tryPublish(Headers headers, ByteBuffer message) {
        return publishWithin(headers, message, 0);
    }

    /**
     * Publishes a message with headers like {@link #tryPublish(Headers, byte[])}, but also if the topic has no
     * subscribers, so that the broker's confirmation can show whether that is still true.
     *
     * @return any result except UNHEARD
     */
    PublishResult tryPublishUnheard(Headers headers, byte[] message) {
        int bodyLength = bodyLength(headers, message.length);
        return write(output.lockAndTakeUnheard(bodyLength), headers, bodyLength, message, 0, message.length);
    }

    private PublishResult publishWithin(byte[] message, int offset, int length, long timeoutNs) {
        Objects.checkFromIndexSize(offset, length, message.length);
        Segment frame = output.lockAndTake(length, timeoutNs);
        try {
            PublishResult refusal = output.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(MessageLayout.HEADER_LENGTH, message, offset, length);
            output.deliver(frame, length);
            return PublishResult.PUBLISHED;
        } finally {
            output.unlock();
        }
    }

    private PublishResult publishWithin(ByteBuffer message, long timeoutNs) {
        int length = message.remaining();
        Segment frame = output.lockAndTake(length, timeoutNs);
        try {
            PublishResult refusal = output.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(MessageLayout.HEADER_LENGTH, message, message.position(), length);
            output.deliver(frame, length);
            return PublishResult.PUBLISHED;
        } finally {
            output.unlock();
        }
    }

    private PublishResult publishWithin(Headers headers, byte[] message, int offset, int length, long timeoutNs) {
        Objects.checkFromIndexSize(offset, length, message.length);
        int bodyLength = bodyLength(headers, length);
        return write(output.lockAndTake(bodyLength, timeoutNs), headers, bodyLength, message, offset, length);
    }

    /** Writes and delivers a message with headers unless there is no space; releases the lock. */
    private PublishResult write(
            Segment frame, Headers headers, int bodyLength, byte[] message, int offset, int length) {
        try {
            PublishResult refusal = output.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(headers.write(frame, bodyLength), message, offset, length);
            output.deliver(frame, MessageLayout.frameLength(bodyLength), length);
            return PublishResult.PUBLISHED;
        } finally {
            output.unlock();
        }
    }

    private PublishResult publishWithin(Headers headers, ByteBuffer message, long timeoutNs) {
        int length = message.remaining();
        int bodyLength = bodyLength(headers, length);
        Segment frame = output.lockAndTake(bodyLength, timeoutNs);
        try {
            PublishResult refusal = output.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(headers.write(frame, bodyLength), message, message.position(), length);
            output.deliver(frame, MessageLayout.frameLength(bodyLength), length);
            return PublishResult.PUBLISHED;
        } finally {
            output.unlock();
        }
    }

    /** Returns the length of a message with its headers, which must not be too long. */
    private int bodyLength(Headers headers, int length) {
        int headersLength = headers.encodedLength();
        if (length < 0 || length > output.longestMessage() - headersLength) {
            throw new IllegalArgumentException("length=" + length + " headers.encodedLength=" + headersLength
                    + " longestMessage=" + output.longestMessage() + " topic=" + output.topic());
        }
        return headersLength + length;
    }

    /**
     * Reserves space for a message that the caller writes in place, and waits for that space if necessary. Each granted
     * claim must be committed or aborted; until then, it delays everything published after it.
     *
     * @return a claim; {@link Claim#isGranted} shows whether it has space
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     * @throws IllegalStateException when there is no space and this thread must not wait: it is a worker or has an open
     *     claim
     */
    public Claim claim(int length) {
        return claimWithin(length, FOREVER);
    }

    /** Reserves space like {@link #claim}, but does not wait. */
    public Claim tryClaim(int length) {
        return claimWithin(length, 0);
    }

    /**
     * Takes space for a message with headers like {@link #claim(int)}. The headers are copied.
     *
     * @param length length of the message in bytes, without its headers
     * @throws IllegalArgumentException when message and headers together are longer than {@link #longestMessage()}
     */
    public Claim claim(int length, Headers headers) {
        return claimWithin(length, headers, FOREVER);
    }

    /** Takes space for a message with headers like {@link #claim(int, Headers)}, but does not wait. */
    public Claim tryClaim(int length, Headers headers) {
        return claimWithin(length, headers, 0);
    }

    private Claim claimWithin(int length, Headers headers, long timeoutNs) {
        if (headers.isEmpty()) {
            return claimWithin(length, timeoutNs);
        }
        int bodyLength = bodyLength(headers, length);
        Segment frame = output.lockAndTake(bodyLength, timeoutNs);
        try {
            PublishResult refusal = output.refusal(frame);
            if (refusal != null) {
                return Claim.refused(refusal);
            }
            return output.claims().open(frame, headers.write(frame, bodyLength), length);
        } finally {
            output.unlock();
        }
    }

    private Claim claimWithin(int length, long timeoutNs) {
        Segment frame = output.lockAndTake(length, timeoutNs);
        try {
            PublishResult refusal = output.refusal(frame);
            return refusal == null ? output.claims().open(frame, length) : Claim.refused(refusal);
        } finally {
            output.unlock();
        }
    }

    /** Returns the number of messages published. */
    public long publishedCount() {
        return output.publishedCount();
    }

    /** Returns the total length of the messages published in bytes, without their headers. */
    public long publishedLength() {
        return output.publishedLength();
    }

    /**
     * Returns the number of messages dropped because the topic had no subscribers; 0 unless the settings have
     * {@link WhenUnheard#DROP}.
     */
    public long unheardCount() {
        return output.unheardCount();
    }

    /** Returns {@link Publisher#unconfirmedCount()} for this topic. */
    public long unconfirmedCount() {
        return output.unconfirmedCount();
    }

    /** Returns {@link Publisher#unconfirmedLength()} for this topic. */
    public long unconfirmedLength() {
        return output.unconfirmedLength();
    }

    /**
     * Withdraws from the topic; messages already published are still sent. Returns immediately. The publisher cannot
     * announce the topic again. Idempotent.
     */
    @Override
    public void close() {
        output.close();
    }

    TopicOutput output() {
        return output;
    }
}

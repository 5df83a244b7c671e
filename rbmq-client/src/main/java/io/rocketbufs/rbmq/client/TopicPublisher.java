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
 * <p><b>Thread-safety:</b> any thread. Messages published by one thread arrive in the order in which it published them.
 * After a reconnect, however, newly published messages may arrive before the last ones published before it.
 */
public final class TopicPublisher implements AutoCloseable {
    /** Effectively no time limit: about 292 years, in nanoseconds. */
    private static final long FOREVER = Long.MAX_VALUE;

    private final TopicOptions options;

    /** Replaced together with the connection, unless unconfirmed messages are sent again. */
    private volatile TopicOutput output;

    /** The counters of earlier outputs, guarded by this object's lock. */
    private OutputCounts former = OutputCounts.NONE;

    private boolean closed;

    TopicPublisher(TopicOutput output, TopicOptions options) {
        this.output = output;
        this.options = options;
    }

    /** Returns the features that this publisher requests from the broker for the topic. */
    public TopicOptions options() {
        return options;
    }

    /**
     * Switches to another output.
     *
     * @param formerCounts counters of the previous output, which has ended
     */
    synchronized void replace(TopicOutput next, OutputCounts formerCounts) {
        former = former.plus(formerCounts);
        output = next;
    }

    /** Returns true if the application has closed this topic. */
    synchronized boolean isClosed() {
        return closed;
    }

    /** Returns the topic. */
    public String topic() {
        return output.topic();
    }

    /** Returns the maximum length of a message in bytes, which includes {@link Headers#encodedLength()}. */
    public int longestMessage() {
        return output.longestMessage();
    }

    /**
     * Returns a future that completes when the broker has accepted the topic. It fails with a TransportException when
     * the broker refuses the topic. It also fails if the connection is lost and messages are not kept for the next
     * connection; this method then returns a new future once the topic is announced again.
     */
    public CompletableFuture<Void> announced() {
        return output.announced();
    }

    /**
     * Returns false if the broker has reported that the topic has no subscribers. A program can then skip creating a
     * message. The value is up to date once {@link #announced()} has completed. Before that, or if the broker does not
     * report subscribers, this method returns true. After the topic has ended, it returns the last value.
     */
    public boolean hasSubscribers() {
        return output.hasSubscribers();
    }

    /**
     * Publishes a message, waiting for space if necessary. Must not be called on a worker.
     *
     * @return any result except NO_SPACE
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     * @throws IllegalStateException when there is no space and this thread must not wait, because it is a worker or has
     *     an open claim
     */
    public PublishResult publish(byte[] message) {
        return publish(message, 0, message.length);
    }

    /** Publishes part of an array; otherwise like {@link #publish(byte[])}. */
    public PublishResult publish(byte[] message, int offset, int length) {
        return publishWithin(message, offset, length, FOREVER);
    }

    /**
     * Publishes part of an array, waiting for at most {@code timeoutMs}; otherwise like {@link #publish(byte[], int,
     * int)}.
     *
     * @return the result; NO_SPACE when the timeout expired before there was space
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
     * Publishes a message with headers, which are copied; otherwise like {@link #publish(byte[])}. If {@code headers}
     * is empty, this is the same as that method.
     *
     * @throws IllegalArgumentException if the combined length of message and headers exceeds {@link #longestMessage()}
     */
    public PublishResult publish(Headers headers, byte[] message) {
        return publish(headers, message, 0, message.length);
    }

    /** Publishes part of an array with headers; otherwise like {@link #publish(Headers, byte[])}. */
    public PublishResult publish(Headers headers, byte[] message, int offset, int length) {
        return publishWithin(headers, message, offset, length, FOREVER);
    }

    /**
     * Publishes part of an array with headers, waiting for at most {@code timeoutMs}; otherwise like
     * {@link #publish(Headers, byte[])}.
     *
     * @return the result; NO_SPACE when the timeout expired before there was space
     */
    public PublishResult publish(Headers headers, byte[] message, int offset, int length, long timeoutMs) {
        return publishWithin(headers, message, offset, length, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    /**
     * Publishes the bytes between a buffer's position and limit with headers, without changing either; otherwise like
     * {@link #publish(Headers, byte[])}.
     */
    public PublishResult publish(Headers headers, ByteBuffer message) {
        return publishWithin(headers, message, FOREVER);
    }

    /**
     * Publishes a message with headers if there is space. The headers are copied.
     *
     * @throws IllegalArgumentException if the combined length of message and headers exceeds {@link #longestMessage()}
     */
    public PublishResult tryPublish(Headers headers, byte[] message) {
        return tryPublish(headers, message, 0, message.length);
    }

    /** Publishes part of an array with headers; otherwise like {@link #tryPublish(Headers, byte[])}. */
    public PublishResult tryPublish(Headers headers, byte[] message, int offset, int length) {
        return publishWithin(headers, message, offset, length, 0);
    }

    /**
     * Publishes the bytes between a buffer's position and limit with headers, without changing either; otherwise like
     * {@link #tryPublish(Headers, byte[])}.
     */
    public PublishResult tryPublish(Headers headers, ByteBuffer message) {
        return publishWithin(headers, message, 0);
    }

    /**
     * Publishes a message with headers even if the topic has no subscribers; otherwise like {@link #tryPublish(Headers,
     * byte[])}. The broker's confirmation then shows whether the topic still has none.
     *
     * @return any result except UNHEARD
     */
    PublishResult tryPublishUnheard(Headers headers, byte[] message) {
        TopicOutput to = output;
        int bodyLength = bodyLength(to, headers, message.length);
        return write(to, to.lockAndTakeUnheard(bodyLength), headers, bodyLength, message, 0, message.length);
    }

    private PublishResult publishWithin(byte[] message, int offset, int length, long timeoutNs) {
        TopicOutput to = output;
        Objects.checkFromIndexSize(offset, length, message.length);
        Segment frame = to.lockAndTake(length, timeoutNs);
        try {
            PublishResult refusal = to.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(MessageLayout.HEADER_LENGTH, message, offset, length);
            to.deliver(frame, MessageLayout.frameLength(length), 1, length);
            return PublishResult.PUBLISHED;
        } finally {
            to.unlock();
        }
    }

    private PublishResult publishWithin(ByteBuffer message, long timeoutNs) {
        TopicOutput to = output;
        int length = message.remaining();
        Segment frame = to.lockAndTake(length, timeoutNs);
        try {
            PublishResult refusal = to.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(MessageLayout.HEADER_LENGTH, message, message.position(), length);
            to.deliver(frame, MessageLayout.frameLength(length), 1, length);
            return PublishResult.PUBLISHED;
        } finally {
            to.unlock();
        }
    }

    private PublishResult publishWithin(Headers headers, byte[] message, int offset, int length, long timeoutNs) {
        TopicOutput to = output;
        Objects.checkFromIndexSize(offset, length, message.length);
        int bodyLength = bodyLength(to, headers, length);
        return write(to, to.lockAndTake(bodyLength, timeoutNs), headers, bodyLength, message, offset, length);
    }

    /** Writes and delivers a message with headers if there is space for it; always releases the lock. */
    private static PublishResult write(
            TopicOutput to, Segment frame, Headers headers, int bodyLength, byte[] message, int offset, int length) {
        try {
            PublishResult refusal = to.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(headers.write(frame, 0, bodyLength), message, offset, length);
            to.deliver(frame, MessageLayout.frameLength(bodyLength), 1, length);
            return PublishResult.PUBLISHED;
        } finally {
            to.unlock();
        }
    }

    private PublishResult publishWithin(Headers headers, ByteBuffer message, long timeoutNs) {
        TopicOutput to = output;
        int length = message.remaining();
        int bodyLength = bodyLength(to, headers, length);
        Segment frame = to.lockAndTake(bodyLength, timeoutNs);
        try {
            PublishResult refusal = to.refusal(frame);
            if (refusal != null) {
                return refusal;
            }
            frame.put(headers.write(frame, 0, bodyLength), message, message.position(), length);
            to.deliver(frame, MessageLayout.frameLength(bodyLength), 1, length);
            return PublishResult.PUBLISHED;
        } finally {
            to.unlock();
        }
    }

    /** Returns the length of a message with its headers; throws an exception if that is too long. */
    static int bodyLength(TopicOutput to, Headers headers, int length) {
        int headersLength = headers.encodedLength();
        if (length < 0 || length > to.longestMessage() - headersLength) {
            throw new IllegalArgumentException("length=" + length + " headers.encodedLength=" + headersLength
                    + " longestMessage=" + to.longestMessage() + " topic=" + to.topic());
        }
        return headersLength + length;
    }

    /**
     * Reserves space for a message that the caller writes in place, waiting for that space if necessary. Each granted
     * claim must be committed or aborted. Until then, messages published after it are still sent, but the space of the
     * claim and of these messages remains in use.
     *
     * @return a claim; {@link Claim#isGranted} shows whether it has space
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     * @throws IllegalStateException when there is no space and this thread must not wait, because it is a worker or has
     *     an open claim
     */
    public Claim claim(int length) {
        return claimWithin(length, FOREVER);
    }

    /** Reserves space without waiting; otherwise like {@link #claim}. */
    public Claim tryClaim(int length) {
        return claimWithin(length, 0);
    }

    /**
     * Reserves space for a message with headers, which are copied; otherwise like {@link #claim(int)}.
     *
     * @param length length of the message in bytes, without its headers
     * @throws IllegalArgumentException if the combined length of message and headers exceeds {@link #longestMessage()}
     */
    public Claim claim(int length, Headers headers) {
        return claimWithin(length, headers, FOREVER);
    }

    /** Reserves space for a message with headers without waiting; otherwise like {@link #claim(int, Headers)}. */
    public Claim tryClaim(int length, Headers headers) {
        return claimWithin(length, headers, 0);
    }

    private Claim claimWithin(int length, Headers headers, long timeoutNs) {
        TopicOutput to = output;
        if (headers.isEmpty()) {
            return claimWithin(length, timeoutNs);
        }
        int bodyLength = bodyLength(to, headers, length);
        Segment frame = to.lockAndTake(bodyLength, timeoutNs);
        try {
            PublishResult refusal = to.refusal(frame);
            if (refusal != null) {
                return Claim.refused(refusal);
            }
            return to.claims().open(frame, headers.write(frame, 0, bodyLength), length);
        } finally {
            to.unlock();
        }
    }

    private Claim claimWithin(int length, long timeoutNs) {
        TopicOutput to = output;
        Segment frame = to.lockAndTake(length, timeoutNs);
        try {
            PublishResult refusal = to.refusal(frame);
            return refusal == null ? to.claims().open(frame, length) : Claim.refused(refusal);
        } finally {
            to.unlock();
        }
    }

    /**
     * Returns a new, empty batch, which publishes many messages to this topic with one call. A program usually creates
     * one batch per publishing thread and reuses it.
     */
    public PublishBatch batch() {
        return new PublishBatch(this);
    }

    private OutputCounts counts() {
        OutputCounts before;
        TopicOutput current;
        synchronized (this) {
            before = former;
            current = output;
        }
        return before.plus(current.counts()); // without this lock, because the output has its own lock
    }

    /** Returns the number of messages published. */
    public long publishedCount() {
        return counts().publishedCount();
    }

    /** Returns the total length in bytes of the messages published, excluding their headers. */
    public long publishedLength() {
        return counts().publishedLength();
    }

    /**
     * Returns the number of messages dropped because the topic had no subscribers; 0 unless the settings specify
     * {@link WhenUnheard#DROP}.
     */
    public long unheardCount() {
        return counts().unheardCount();
    }

    /** Returns {@link Publisher#resentCount()} for this topic. */
    public long resentCount() {
        return counts().resentCount();
    }

    /** Returns {@link Publisher#droppedCount()} for this topic. */
    public long droppedCount() {
        return counts().droppedCount();
    }

    /** Returns {@link Publisher#unconfirmedCount()} for this topic. */
    public long unconfirmedCount() {
        return counts().unconfirmedCount();
    }

    /** Returns {@link Publisher#unconfirmedLength()} for this topic. */
    public long unconfirmedLength() {
        return counts().unconfirmedLength();
    }

    /**
     * Withdraws this publisher from the topic. Returns immediately; messages already published are still sent. This
     * publisher cannot announce the topic again. Idempotent.
     */
    @Override
    public void close() {
        TopicOutput current;
        synchronized (this) {
            closed = true;
            current = output;
        }
        current.close(); // without the lock, because this may release the publisher's buffers
    }

    TopicOutput output() {
        return output;
    }
}

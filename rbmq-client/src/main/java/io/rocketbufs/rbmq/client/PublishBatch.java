package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Messages to one topic that are published together. Each message is written directly into the publisher's buffer. One
 * call of {@link #publish()} then hands over all of them, at the cost of publishing a single message. Subscribers
 * receive them as separate messages. The object can be reused for any number of batches.
 *
 * <p>A batch reserves more space than its first message needs, so further messages fit into the same space. If the next
 * message does not fit, the batch publishes the messages before it and continues with that message in new space. A
 * batch can therefore have any length, and the messages of a long batch are sent while it is still being written. If
 * there is no space, only the message that could not be added is affected: see {@link #refusal()}.
 *
 * <p>Other threads can publish to the topic while a batch is open; their messages are sent before those of the batch.
 * As with a {@link Claim}, however, the space of those messages does not become free until the batch is published or
 * aborted.
 *
 * <p><b>Thread-safety:</b> one thread at a time. <b>Ownership:</b> messages are copied; the publisher owns the memory.
 */
public final class PublishBatch implements AutoCloseable {
    /** Longest part of a batch that is sent in one transfer. A longer part would arrive later without any benefit. */
    private static final int LONGEST_PART = 64 * 1024;
    /** Minimum number of parts that fit into the buffer, so that one part can be written while others are sent. */
    private static final int PARTS_PER_BUFFER = 4;

    private static final int FIRST_LENGTH = 4 * 1024;
    /** Ratio between successive requested lengths when space is short. */
    private static final int STEP = 8;

    private static final long FOREVER = Long.MAX_VALUE;

    private final TopicPublisher topic;
    private final Claim claim = Claim.of(new ClaimedMessage());
    /**
     * The output into which the messages are written. The topic may have switched to another output in the meantime.
     */
    private TopicOutput output;
    /** The claim on the space into which the messages are written; null while this batch has no space. */
    private Claim part;

    private Segment frames;
    /** Index in the segment at which the last message ends and the next one may start. */
    private int end;

    /** Length of the segment; 0 while there is no segment, or while a claim of this batch is open. */
    private int limit;

    private int count;
    /** Length of the messages without frames and headers. */
    private long length;

    private long publishedCount;
    private PublishResult refusal;
    private boolean isClaiming;
    /**
     * Length to request for the next part. It adapts to the lengths of recent batches, to reserve little excess space.
     */
    private int wanted = FIRST_LENGTH;

    PublishBatch(TopicPublisher topic) {
        this.topic = topic;
    }

    /**
     * Adds a message. If there is no space, publishes the messages in this batch and waits for space. Must not be
     * called on a worker.
     *
     * @return true if the message was added; otherwise {@link #refusal()} returns the reason, which is never NO_SPACE
     * @throws IllegalArgumentException when the message is longer than {@link TopicPublisher#longestMessage()}
     * @throws IllegalStateException if a claim of this batch is open. Also thrown if there is no space and this thread
     *     must not wait, because it is a worker or has an open claim or batch for the same topic
     */
    public boolean add(byte[] message) {
        return add(message, 0, message.length);
    }

    /** Adds part of an array as a message; otherwise like {@link #add(byte[])}. */
    public boolean add(byte[] message, int offset, int count) {
        return addWithin(message, offset, count, FOREVER);
    }

    /**
     * Adds part of an array as a message, waiting for at most {@code timeoutMs}; otherwise like {@link #add(byte[])}.
     * When the timeout expires, {@link #refusal()} returns NO_SPACE.
     */
    public boolean add(byte[] message, int offset, int count, long timeoutMs) {
        return addWithin(message, offset, count, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    /**
     * Adds the bytes between a buffer's position and limit as a message, without changing either; otherwise like
     * {@link #add(byte[])}.
     */
    public boolean add(ByteBuffer message) {
        return addWithin(message, FOREVER);
    }

    /**
     * Adds a message if there is space; otherwise publishes the messages in this batch.
     *
     * @return true if the message was added; otherwise {@link #refusal()} returns the reason
     * @throws IllegalArgumentException when the message is longer than {@link TopicPublisher#longestMessage()}
     * @throws IllegalStateException when a claim of this batch is open
     */
    public boolean tryAdd(byte[] message) {
        return addWithin(message, 0, message.length, 0);
    }

    /** Adds part of an array as a message; otherwise like {@link #tryAdd(byte[])}. */
    public boolean tryAdd(byte[] message, int offset, int count) {
        return addWithin(message, offset, count, 0);
    }

    /**
     * Adds the bytes between a buffer's position and limit as a message, without changing either; otherwise like
     * {@link #tryAdd(byte[])}.
     */
    public boolean tryAdd(ByteBuffer message) {
        return addWithin(message, 0);
    }

    /** Adds a message with headers, which are copied; otherwise like {@link #add(byte[])}. */
    public boolean add(Headers headers, byte[] message) {
        return addWithin(headers, message, 0, message.length, FOREVER);
    }

    /**
     * Adds part of an array as a message with headers, which are copied; otherwise like {@link #add(byte[], int, int,
     * long)}.
     */
    public boolean add(Headers headers, byte[] message, int offset, int count, long timeoutMs) {
        return addWithin(headers, message, offset, count, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    /** Adds a message with headers, which are copied; otherwise like {@link #tryAdd(byte[])}. */
    public boolean tryAdd(Headers headers, byte[] message) {
        return addWithin(headers, message, 0, message.length, 0);
    }

    private boolean addWithin(byte[] message, int offset, int bodyLength, long timeoutNs) {
        Objects.checkFromIndexSize(offset, bodyLength, message.length);
        if (lacks(bodyLength) && !makeRoom(bodyLength, timeoutNs)) {
            return false;
        }
        int start = begin(bodyLength);
        frames.put(start, message, offset, bodyLength);
        added(start + bodyLength, bodyLength);
        return true;
    }

    private boolean addWithin(ByteBuffer message, long timeoutNs) {
        int bodyLength = message.remaining();
        if (lacks(bodyLength) && !makeRoom(bodyLength, timeoutNs)) {
            return false;
        }
        int start = begin(bodyLength);
        frames.put(start, message, message.position(), bodyLength);
        added(start + bodyLength, bodyLength);
        return true;
    }

    private boolean addWithin(Headers headers, byte[] message, int offset, int payloadLength, long timeoutNs) {
        if (headers.isEmpty()) {
            return addWithin(message, offset, payloadLength, timeoutNs);
        }
        Objects.checkFromIndexSize(offset, payloadLength, message.length);
        int bodyLength = TopicPublisher.bodyLength(topic.output(), headers, payloadLength);
        if (lacks(bodyLength) && !makeRoom(bodyLength, timeoutNs)) {
            return false;
        }
        int start = headers.write(frames, end, bodyLength);
        frames.put(start, message, offset, payloadLength);
        added(start + payloadLength, payloadLength);
        return true;
    }

    /**
     * Reserves space for a message that the caller writes in place, waiting for that space like {@link #add(byte[])}.
     * {@link Claim#commit()} adds the message to this batch, and {@link Claim#abort()} discards it. While the claim is
     * open, {@link #abort()} is the only method of this batch that may be called.
     *
     * @return a claim; {@link Claim#isGranted} shows whether it has space
     */
    public Claim claim(int length) {
        return claimWithin(length, FOREVER);
    }

    /** Reserves space without waiting; otherwise like {@link #claim(int)}. */
    public Claim tryClaim(int length) {
        return claimWithin(length, 0);
    }

    /**
     * Reserves space for a message with headers, which are copied; otherwise like {@link #claim(int)}.
     *
     * @param length length of the message in bytes, without its headers
     */
    public Claim claim(int length, Headers headers) {
        return claimWithin(length, headers, FOREVER);
    }

    /** Reserves space for a message with headers without waiting; otherwise like {@link #claim(int, Headers)}. */
    public Claim tryClaim(int length, Headers headers) {
        return claimWithin(length, headers, 0);
    }

    private Claim claimWithin(int bodyLength, long timeoutNs) {
        if (lacks(bodyLength) && !makeRoom(bodyLength, timeoutNs)) {
            return Claim.refused(refusal);
        }
        return claimed(begin(bodyLength), bodyLength);
    }

    private Claim claimWithin(int payloadLength, Headers headers, long timeoutNs) {
        if (headers.isEmpty()) {
            return claimWithin(payloadLength, timeoutNs);
        }
        int bodyLength = TopicPublisher.bodyLength(topic.output(), headers, payloadLength);
        if (lacks(bodyLength) && !makeRoom(bodyLength, timeoutNs)) {
            return Claim.refused(refusal);
        }
        return claimed(headers.write(frames, end, bodyLength), payloadLength);
    }

    /** Opens the claim for the message at an index. There is no room for another message until the claim is closed. */
    private Claim claimed(int start, int payloadLength) {
        isClaiming = true;
        limit = 0;
        return claim.grant(frames, end, start, payloadLength);
    }

    /** Returns true if a message does not fit into the current part, or its length is negative. */
    private boolean lacks(int bodyLength) {
        return bodyLength < 0 || bodyLength > limit - end - MessageLayout.HEADER_LENGTH;
    }

    /** Writes the length of the next message; returns the index of the message. */
    private int begin(int bodyLength) {
        MessageLayout.putLength(frames, end, bodyLength);
        return end + MessageLayout.HEADER_LENGTH;
    }

    private void added(int newEnd, int payloadLength) {
        end = newEnd;
        count++;
        length += payloadLength;
    }

    /** Publishes the current part and starts the next one; returns false if there is no space. */
    private boolean makeRoom(int bodyLength, long timeoutNs) {
        checkNotClaiming();
        topic.output().checkLength(bodyLength);
        if (part != null) {
            if (limit >= wanted) {
                wanted = Math.min(2 * wanted, LONGEST_PART);
            }
            PublishResult result = closePart();
            if (result != PublishResult.PUBLISHED) {
                refusal = result;
                return false;
            }
        }
        return open(bodyLength, timeoutNs);
    }

    /** Reserves space for the next part; returns false if there is no space for its first message. */
    private boolean open(int bodyLength, long timeoutNs) {
        TopicOutput to = topic.output();
        to.lock();
        Segment taken = take(to, bodyLength, timeoutNs);
        try {
            refusal = to.refusal(taken);
            if (refusal != null) {
                return false;
            }
            part = to.claims().open(taken, bodyLength);
        } finally {
            to.unlock();
        }
        output = to;
        frames = taken;
        limit = (int) taken.length();
        return true;
    }

    /**
     * Reserves the wanted space, or less if that much is not available. Waits only for the space that one message
     * needs.
     */
    private Segment take(TopicOutput to, int bodyLength, long timeoutNs) {
        int most = Math.min(wanted, to.longestMessage() / PARTS_PER_BUFFER - MessageLayout.HEADER_LENGTH);
        for (int request = most; request > bodyLength; request /= STEP) {
            Segment taken = to.take(request);
            if (to.refusal(taken) != PublishResult.NO_SPACE) {
                return taken.vecCount() > 0 ? taken : to.takeAgain(taken, bodyLength, timeoutNs);
            }
        }
        Segment taken = to.take(bodyLength);
        return taken.vecCount() > 0 ? taken : to.takeAgain(taken, bodyLength, timeoutNs);
    }

    /** Returns the number of messages that the next call to {@link #publish()} will publish. */
    public int count() {
        return count;
    }

    /** Returns the number of messages that were published with this object. */
    public long publishedCount() {
        return publishedCount;
    }

    /** Returns the reason why the last message was not added; null if it was added. */
    public PublishResult refusal() {
        return refusal;
    }

    /**
     * Publishes the messages added since the last call. Does not wait.
     *
     * @return PUBLISHED, even if there are no messages. If the topic has ended, returns the reason; then none of these
     *     {@link #count()} messages is published, and the batch is empty
     * @throws IllegalStateException when a claim of this batch is open
     */
    public PublishResult publish() {
        checkNotClaiming();
        if (end < wanted / STEP) {
            wanted = Math.max(wanted / 2, FIRST_LENGTH);
        }
        return closePart();
    }

    /** Publishes the messages of the current part, if it contains any. */
    private PublishResult closePart() {
        if (count == 0) {
            abort();
            return PublishResult.PUBLISHED;
        }
        PublishResult result = output.claims().commit(part, end, count, length);
        if (result == PublishResult.PUBLISHED) {
            publishedCount += count;
        }
        clear();
        return result;
    }

    /**
     * Discards the messages added since the last call to {@link #publish()} and returns their space to the buffer. Does
     * not affect the messages of a long batch that have already been published. {@link #count()} returns the number of
     * messages that this method discards.
     */
    public void abort() {
        if (part != null) {
            output.claims().abort(part);
            clear();
        }
    }

    private void clear() {
        part = null;
        output = null;
        frames = null;
        isClaiming = false;
        limit = 0;
        end = 0;
        count = 0;
        length = 0;
    }

    /** Discards the messages that have not been published, like {@link #abort()}. Idempotent. */
    @Override
    public void close() {
        abort();
    }

    private void checkNotClaiming() {
        if (isClaiming) {
            throw new IllegalStateException(
                    "topic=" + topic.topic() + ": commit or abort the open claim of this batch");
        }
    }

    /** The owner of the message that is being written in place. */
    private final class ClaimedMessage implements Claim.Owner {
        @Override
        public PublishResult commit(Claim closed, int payloadLength) {
            close();
            added(closed.start() + payloadLength, payloadLength);
            return PublishResult.PUBLISHED;
        }

        @Override
        public void abort(Claim closed) {
            close();
        }

        private void close() {
            if (!isClaiming) {
                throw new IllegalStateException("this claim has already been committed or aborted");
            }
            isClaiming = false;
            limit = (int) frames.length();
        }
    }
}

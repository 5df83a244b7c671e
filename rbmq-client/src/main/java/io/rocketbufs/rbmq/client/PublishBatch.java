package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Messages to one topic that are published together. Each is written directly into the publisher's buffer, and one call
 * of {@link #publish()} hands all of them over, which costs as much as publishing a single message. To subscribers,
 * they are separate messages. The object can be used for any number of batches.
 *
 * <p>A batch reserves more space than its first message needs, and has room for as many messages as fit. If the next
 * message does not fit, the messages before it are published, and the batch continues with it. So a batch can have any
 * length, and the messages of a long batch are sent while it is still being written. If there is no space, only the
 * message that was not added is affected: see {@link #refusal()}.
 *
 * <p>Other threads can publish to the topic while a batch is open; their messages are sent before those of the batch.
 * But as with a {@link Claim}, their space is not free again before the batch is published or aborted.
 *
 * <p><b>Thread-safety:</b> one thread at a time. <b>Ownership:</b> messages are copied; the memory belongs to the
 * publisher.
 */
public final class PublishBatch implements AutoCloseable {
    /** Longest part of a batch that is sent as one transfer. Longer ones gain nothing, and would arrive later. */
    private static final int LONGEST_PART = 64 * 1024;
    /** Minimum number of parts that fit into the buffer, so that the next one is written while others are sent. */
    private static final int PARTS_PER_BUFFER = 4;

    private static final int FIRST_LENGTH = 4 * 1024;
    /** Ratio of two successive lengths to request when space is short. */
    private static final int STEP = 8;

    private static final long FOREVER = Long.MAX_VALUE;

    private final TopicPublisher topic;
    private final Claim claim = Claim.of(new ClaimedMessage());
    /** The output that the messages are written into; the topic may have another one in the meantime. */
    private TopicOutput output;
    /** The claim of the space that the messages are written into; null while this batch has none. */
    private Claim part;

    private Segment frames;
    /** Index in the segment where the next message may begin, and where the last one may end. */
    private int end;

    /** Length of the segment; 0 while there is none, or the last message in it is still being claimed. */
    private int limit;

    private int count;
    /** Length of the messages without frames and headers. */
    private long length;

    private long publishedCount;
    private PublishResult refusal;
    private boolean isClaiming;
    /** Length of the next part. Follows the lengths of the batches, so that little is reserved needlessly. */
    private int wanted = FIRST_LENGTH;

    PublishBatch(TopicPublisher topic) {
        this.topic = topic;
    }

    /**
     * Adds a message. If there is no space, publishes the messages that this batch has, and waits for space. Must not
     * be called on a worker.
     *
     * @return false when the message was not added; {@link #refusal()} returns the reason, which is never NO_SPACE
     * @throws IllegalArgumentException when the message is longer than {@link TopicPublisher#longestMessage()}
     * @throws IllegalStateException when a claim of this batch is open, or when there is no space and this thread must
     *     not wait: it is a worker or has an open claim or batch for the same topic
     */
    public boolean add(byte[] message) {
        return add(message, 0, message.length);
    }

    /** Adds part of an array as a message; otherwise like {@link #add(byte[])}. */
    public boolean add(byte[] message, int offset, int count) {
        return addWithin(message, offset, count, FOREVER);
    }

    /**
     * Adds part of an array as a message; like {@link #add(byte[])}, but waits for at most {@code timeoutMs}, after
     * which {@link #refusal()} is NO_SPACE.
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
     * Adds a message if there is space. If there is none, publishes the messages that this batch has.
     *
     * @return false when the message was not added; {@link #refusal()} returns the reason
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
     * Reserves space for a message that the caller writes in place, and waits for that space like {@link #add(byte[])}.
     * {@link Claim#commit()} adds the message to this batch, and {@link Claim#abort()} discards it. Until then, only
     * {@link #abort()} may be called.
     *
     * @return a claim; {@link Claim#isGranted} shows whether it has space
     */
    public Claim claim(int length) {
        return claimWithin(length, FOREVER);
    }

    /** Reserves space like {@link #claim(int)}, but does not wait. */
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

    /** Reserves space for a message with headers like {@link #claim(int, Headers)}, but does not wait. */
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

    /** Opens the claim of the message at an index; the next message finds no room before it is closed. */
    private Claim claimed(int start, int payloadLength) {
        isClaiming = true;
        limit = 0;
        return claim.grant(frames, end, start, payloadLength);
    }

    /** Returns true when there is no room for a message in the current part, or its length is negative. */
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

    /** Publishes the current part and begins the next one; returns false when there is no space. */
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

    /** Reserves space for the next part; returns false when there is none for its first message. */
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

    /** Reserves the wanted space, or less if there is not so much. Waits only for the space of one message. */
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

    /** Returns the number of messages that the next call of {@link #publish()} publishes. */
    public int count() {
        return count;
    }

    /** Returns the number of messages that were published with this object. */
    public long publishedCount() {
        return publishedCount;
    }

    /** Returns why the last message was not added; null when it was. */
    public PublishResult refusal() {
        return refusal;
    }

    /**
     * Publishes the messages that were added since the last call. Does not wait.
     *
     * @return PUBLISHED, even if there are no messages; otherwise why the topic ended, in which case none of these
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

    /** Publishes the messages of the current part, if there are any. */
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
     * Discards the messages that were added since the last call of {@link #publish()}, unless a long batch has
     * published them already; {@link #count()} returns their number. Returns their space to the buffer.
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

    /** Discards what has not been published, as {@link #abort()} does. Idempotent. */
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

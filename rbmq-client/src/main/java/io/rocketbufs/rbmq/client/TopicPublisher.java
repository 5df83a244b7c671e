package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Publishes to one topic, without looking anything up per message.
 *
 * <p><b>Thread-safety:</b> any thread; messages of one thread arrive in the order of publishing.
 */
public final class TopicPublisher implements AutoCloseable {
    /** 292 years. */
    private static final long FOREVER = Long.MAX_VALUE;

    private final TopicOutput output;

    TopicPublisher(TopicOutput output) {
        this.output = output;
    }

    /** The topic. */
    public String topic() {
        return output.topic();
    }

    /** Bytes of the longest message. */
    public int longestMessage() {
        return output.longestMessage();
    }

    /** Completes when the broker takes the topic's messages; fails with a TransportException when it refuses. */
    public CompletableFuture<Void> announced() {
        return output.announced();
    }

    /**
     * Publishes a message, and waits for space if need be. Must not be called on a worker.
     *
     * @return anything but NO_SPACE
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     * @throws IllegalStateException when it would have to wait where it must not: on a worker, or with an open claim of
     *     this thread
     */
    public PublishResult publish(byte[] message) {
        return publish(message, 0, message.length);
    }

    /** {@link #publish(byte[])} of a part of an array. */
    public PublishResult publish(byte[] message, int offset, int length) {
        return publishWithin(message, offset, length, FOREVER);
    }

    /**
     * {@link #publish(byte[], int, int)} that waits for a limited time.
     *
     * @return NO_SPACE when there has been none for so long
     */
    public PublishResult publish(byte[] message, int offset, int length, long timeoutMs) {
        return publishWithin(message, offset, length, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    /** {@link #publish(byte[])} of what lies between a buffer's position and limit, which stay as they are. */
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

    /** {@link #tryPublish(byte[])} of a part of an array. */
    public PublishResult tryPublish(byte[] message, int offset, int length) {
        return publishWithin(message, offset, length, 0);
    }

    /** {@link #tryPublish(byte[])} of what lies between a buffer's position and limit, which stay as they are. */
    public PublishResult tryPublish(ByteBuffer message) {
        return publishWithin(message, 0);
    }

    private PublishResult publishWithin(byte[] message, int offset, int length, long timeoutNs) {
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

    /**
     * Takes space for a message that the caller writes in place, and waits for it if need be. Each claim granted must
     * be committed or aborted, for it holds back the space of what is published after it.
     *
     * @return a claim, granted or not
     * @throws IllegalArgumentException when the message is longer than {@link #longestMessage()}
     * @throws IllegalStateException when it would have to wait where it must not: on a worker, or with an open claim of
     *     this thread
     */
    public Claim claim(int length) {
        return claimWithin(length, FOREVER);
    }

    /** {@link #claim} that does not wait. */
    public Claim tryClaim(int length) {
        return claimWithin(length, 0);
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

    /** Messages published. */
    public long publishedCount() {
        return output.publishedCount();
    }

    /** Bytes of the messages published, without their frames. */
    public long publishedLength() {
        return output.publishedLength();
    }

    /** {@link Publisher#unconfirmedCount()} of this topic. */
    public long unconfirmedCount() {
        return output.unconfirmedCount();
    }

    /** {@link Publisher#unconfirmedLength()} of this topic. */
    public long unconfirmedLength() {
        return output.unconfirmedLength();
    }

    /**
     * Withdraws from the topic; what was published is still sent. Returns at once. The publisher cannot take the topic
     * up again. Idempotent.
     */
    @Override
    public void close() {
        output.close();
    }

    TopicOutput output() {
        return output;
    }
}

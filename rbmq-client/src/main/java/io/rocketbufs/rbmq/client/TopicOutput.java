package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The buffer behind one topic of a publisher, from its announcement to its end.
 *
 * <p>A buffer has one producing thread at a time, so there is a lock. Nobody waits while holding it: whoever finds no
 * space waits outside, so that those who do not want to wait, who have claims open, or who bring bad news get in.
 *
 * <p><b>Thread-safety:</b> any thread; {@link #take}, {@link #deliver} and {@link #claims()} under the lock.
 * <b>Ownership:</b> the buffer goes when it has ended and no claim is open, for until then somebody writes into its
 * memory.
 */
final class TopicOutput {
    /** Policies for slow subscribers are applied by asking again, so no caller waits for longer. */
    private static final long ASK_AGAIN_MS = 10;

    private final String topic;
    private final int bufferId;
    private final ROut out;
    private final Connection connection;
    private final ClientSettings settings;
    private final Runnable onRemoved;
    private final int longestMessage;
    private final CompletableFuture<Void> announced = new CompletableFuture<>();
    private final SpaceSignal space = new SpaceSignal();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile PublishResult ended;

    // Under the lock.
    private final Claims claims = new Claims(this);
    private final PublishedMessages published = new PublishedMessages();
    private boolean draining;
    private volatile boolean hasBuffer;

    /**
     * Makes one that is not announced yet, and has no buffer.
     *
     * @param onRemoved run, without the lock, when it has ended and its buffer has gone; more than once perhaps
     */
    TopicOutput(
            String topic, int bufferId, ROut out, Connection connection, ClientSettings settings, Runnable onRemoved) {
        this.topic = topic;
        this.bufferId = bufferId;
        this.out = out;
        this.connection = connection;
        this.settings = settings;
        this.onRemoved = onRemoved;
        this.longestMessage = MessageLayout.longest(settings.publisherCapacity());
    }

    String topic() {
        return topic;
    }

    int longestMessage() {
        return longestMessage;
    }

    CompletableFuture<Void> announced() {
        return announced;
    }

    // Beginning and end.

    /** Makes the buffer, and announces the topic to the broker. */
    void announce() {
        out.createBuffer(
                bufferId,
                settings.publisherCapacity(),
                BufferOptions.DEFAULTS.withHold(true).withFlowControl(settings.flowControl()));
        hasBuffer = true;
        try {
            connection.sendControlMessage(AnnounceLayout.write(bufferId, settings.publisherCapacity(), topic));
        } catch (TransportException e) {
            end(PublishResult.NOT_CONNECTED);
        }
    }

    void onAnnounced() {
        announced.complete(null);
    }

    void onRefused(String reason) {
        end(
                PublishResult.REFUSED,
                new TransportException(
                        TransportException.Code.REFUSED, "the broker refused topic \"" + topic + "\": " + reason));
    }

    void onSpace() {
        space.tell();
    }

    /** Nothing can be published any more, and what was is lost if it was not sent; who waits is told. */
    void end(PublishResult why) {
        end(why, new TransportException(TransportException.Code.CLOSED, "topic \"" + topic + "\": " + why));
    }

    /** Whoever waits for the announcement hears last, for then publishing has to fail already. */
    private void end(PublishResult why, TransportException failure) {
        lock.lock();
        try {
            draining = false;
            ended = ended == null ? why : ended;
            removeWhenUnused();
        } finally {
            lock.unlock();
        }
        space.tell();
        announced.completeExceptionally(failure);
        tellWhenRemoved();
    }

    /** Nothing can be published any more; what was is sent, and then the buffer goes. */
    void close() {
        lock.lock();
        try {
            if (ended != null) {
                return;
            }
            ended = PublishResult.CLOSED;
            draining = true;
        } finally {
            lock.unlock();
        }
        space.tell();
        flush().whenComplete((flushed, failure) -> end(PublishResult.CLOSED));
    }

    /**
     * Completes when the broker takes the topic and has consumed what is published by now; fails when it never will.
     */
    CompletableFuture<Void> flush() {
        return announced.thenCompose(taken -> flushBuffer());
    }

    private CompletableFuture<Void> flushBuffer() {
        lock.lock();
        try {
            confirm();
            if (published.isConfirmed()) {
                return CompletableFuture.completedFuture(null);
            }
            return !hasBuffer || !connection.isOpen()
                    ? CompletableFuture.failedFuture(new TransportException(
                            TransportException.Code.CLOSED,
                            "topic \"" + topic + "\" has ended: "
                                    + (ended == null ? PublishResult.NOT_CONNECTED : ended)))
                    : out.flush(bufferId);
        } finally {
            lock.unlock();
        }
    }

    /** Removes the buffer once it has ended and no caller writes into it; under the lock. */
    void removeWhenUnused() {
        if (ended != null && !draining && hasBuffer && !claims.areOpen()) {
            confirm();
            published.close();
            hasBuffer = false;
            out.removeBuffer(bufferId);
        }
    }

    /** True from the announcement until the buffer is removed. */
    boolean hasBuffer() {
        return hasBuffer;
    }

    /** A claim is over; without the lock. */
    void onClaimClosed() {
        onSpace();
        tellWhenRemoved();
    }

    private void tellWhenRemoved() {
        if (ended != null && !hasBuffer) {
            onRemoved.run();
        }
    }

    // Publishing.

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /**
     * Takes the lock, and then space for a message, for which it waits without the lock. The lock is held after this
     * has returned, and is not after it has thrown.
     *
     * @return a frame, or one of Segment's constants; null when interrupted
     * @throws IllegalStateException when it would have to wait where this thread must not
     */
    Segment lockAndTake(int length, long timeoutNs) {
        checkLength(length);
        lock.lock();
        Segment frame = take(length);
        return timeoutNs > 0 && refusal(frame) == PublishResult.NO_SPACE ? takeOnceThereIs(length, timeoutNs) : frame;
    }

    private Segment takeOnceThereIs(int length, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            long seen = space.last();
            Segment frame = take(length);
            if (refusal(frame) != PublishResult.NO_SPACE || deadlineNs - System.nanoTime() <= 0) {
                return frame;
            }
            lock.unlock();
            boolean interrupted = !await(seen);
            lock.lock();
            if (interrupted) {
                return null;
            }
        }
    }

    private void checkLength(int length) {
        if (length < 0 || length > longestMessage) {
            throw new IllegalArgumentException(
                    "length=" + length + " longestMessage=" + longestMessage + " topic=" + topic);
        }
    }

    /** Takes space for a message and writes the frame; or one of Segment's constants. */
    private Segment take(int length) {
        // A lost connection removes its subscriptions before it reports, and data without a subscriber is discarded.
        if (ended != null || !connection.isOpen()) {
            return Segment.CLOSED;
        }
        Segment frame = out.getOutputSegment(bufferId, MessageLayout.frameLength(length), false);
        if (frame.vecCount() > 0) {
            MessageLayout.putLength(frame, length);
        }
        return frame;
    }

    /** Hands a frame over that holds a message of this length. */
    void deliver(Segment frame, int length) {
        int frameLength = MessageLayout.frameLength(length);
        out.deliver(frame, frameLength);
        // Not earlier: a lost connection removes its subscriptions after it counts as closed. If it is still open here,
        // they have seen this message, and the buffer knows whether it is confirmed. Otherwise the message is lost,
        // whatever the buffer says.
        if (!connection.isOpen()) {
            published.loseFurther();
        }
        if (published.isFull()) {
            confirm();
            published.makeRoom();
        }
        published.add(frameLength, length);
    }

    /** Gives a frame back. */
    void cancel(Segment frame) {
        out.deliver(frame, 0);
    }

    Claims claims() {
        return claims;
    }

    PublishResult ended() {
        return ended;
    }

    /** What a refused segment means to a publisher; null for one that was granted. */
    PublishResult refusal(Segment frame) {
        if (frame == null) {
            return PublishResult.INTERRUPTED;
        }
        if (frame.vecCount() >= 0) {
            return null;
        }
        if (ended != null) {
            return ended;
        }
        return frame == Segment.CLOSED ? PublishResult.NOT_CONNECTED : PublishResult.NO_SPACE;
    }

    /**
     * Waits, without the lock, until it is worth trying again; false when interrupted.
     *
     * @param seen the last change of space before trying
     */
    private boolean await(long seen) {
        checkMayWait();
        try {
            space.await(seen, ASK_AGAIN_MS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void checkMayWait() {
        if (connection.isWorkerThread()) {
            throw new IllegalStateException("topic=" + topic + ": a worker must not wait for space");
        }
        lock.lock();
        try {
            claims.checkNoneOf(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    // Numbers.

    long publishedCount() {
        lock.lock();
        try {
            return published.count();
        } finally {
            lock.unlock();
        }
    }

    long publishedLength() {
        lock.lock();
        try {
            return published.length();
        } finally {
            lock.unlock();
        }
    }

    long unconfirmedCount() {
        lock.lock();
        try {
            confirm();
            return published.unconfirmedCount();
        } finally {
            lock.unlock();
        }
    }

    long unconfirmedLength() {
        lock.lock();
        try {
            confirm();
            return published.unconfirmedLength();
        } finally {
            lock.unlock();
        }
    }

    /** Takes over what the broker has said; it says nothing where there is no flow control. */
    private void confirm() {
        if (!hasBuffer) {
            return;
        }
        if (settings.flowControl()) {
            published.confirm(out.consumedPosition(bufferId));
        } else {
            published.confirmAll();
        }
    }
}

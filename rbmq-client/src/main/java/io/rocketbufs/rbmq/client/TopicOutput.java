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
 * The buffer of one topic of a publisher, from its announcement to its end.
 *
 * <p>A buffer allows only one producing thread at a time, so a lock guards it. A thread that finds no space releases
 * the lock while it waits. Meanwhile, other callers can acquire the lock to publish without waiting, to commit a claim
 * or to report the topic's end.
 *
 * <p><b>Thread-safety:</b> any thread; callers of {@link #take}, {@link #deliver} and {@link #claims()} must hold the
 * lock. <b>Ownership:</b> the buffer is removed when the topic has ended and no claim is open, because a claim's holder
 * writes into its memory.
 */
final class TopicOutput {
    /**
     * The longest wait before space is requested again. It is short because each request applies the policies for slow
     * subscribers.
     */
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

    // Guarded by the lock.
    private final Claims claims = new Claims(this);
    private final PublishedMessages published = new PublishedMessages();
    private boolean draining;
    private volatile boolean hasBuffer;

    /**
     * Creates an output that is not announced yet and has no buffer.
     *
     * @param onRemoved run without the lock, possibly more than once, when the topic has ended and its buffer is
     *     removed
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

    // Start and end.

    /** Creates the buffer and announces the topic to the broker. */
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

    private String describeEnd(PublishResult why) {
        return "topic \"" + topic + "\" has ended: "
                + switch (why) {
                    case NOT_CONNECTED -> "the connection to the broker was lost";
                    case REFUSED -> "the broker refused it";
                    default -> "it was closed";
                };
    }

    void onSpace() {
        space.tell();
    }

    /** Ends publishing and wakes waiting threads; published messages that were not sent are lost. */
    void end(PublishResult why) {
        end(why, new TransportException(TransportException.Code.CLOSED, describeEnd(why)));
    }

    /**
     * Ends the topic. The announcement's future completes last, because publishing must fail before its callbacks run.
     */
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

    /** Ends publishing; removes the buffer once the published messages have been sent. */
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
     * Returns a future that completes when the broker has accepted the topic and consumed everything published so far.
     * It fails if the broker will never do so.
     */
    CompletableFuture<Void> flush() {
        return announced.thenCompose(taken -> flushBuffer());
    }

    private CompletableFuture<Void> flushBuffer() {
        boolean isLost;
        lock.lock();
        try {
            confirm();
            if (published.isConfirmed()) {
                return CompletableFuture.completedFuture(null);
            }
            isLost = !hasBuffer || !connection.isOpen();
        } finally {
            lock.unlock();
        }
        return isLost ? CompletableFuture.failedFuture(failureOfFlush()) : flushUnlocked();
    }

    /** Requests the flush without the lock, because this may complete earlier flushes on this thread. */
    private CompletableFuture<Void> flushUnlocked() {
        try {
            return out.flush(bufferId);
        } catch (IllegalArgumentException e) {
            // The topic has ended meanwhile, and its buffer was removed.
            return CompletableFuture.failedFuture(failureOfFlush());
        }
    }

    private TransportException failureOfFlush() {
        return new TransportException(
                TransportException.Code.CLOSED, describeEnd(ended == null ? PublishResult.NOT_CONNECTED : ended));
    }

    /** Removes the buffer if the topic has ended and no caller is writing into it. The caller must hold the lock. */
    void removeWhenUnused() {
        if (ended != null && !draining && hasBuffer && !claims.areOpen()) {
            confirm();
            published.close();
            hasBuffer = false;
            out.removeBuffer(bufferId);
        }
    }

    /** Returns true from the announcement until the buffer is removed. */
    boolean hasBuffer() {
        return hasBuffer;
    }

    /** Called without the lock when a claim has been committed or aborted. */
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
     * Acquires the lock, and then reserves space for a message; releases the lock while it waits. The caller holds the
     * lock after a normal return, but not after an exception.
     *
     * @return a frame, or one of Segment's constants; null when interrupted
     * @throws IllegalStateException when there is no space and this thread must not wait
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

    /** Reserves space for a message and writes its length; returns one of Segment's constants if there is no space. */
    private Segment take(int length) {
        // The connection is checked too, because a lost connection removes its subscriptions before it reports the
        // loss, and data without a subscriber would be discarded.
        if (ended != null || !connection.isOpen()) {
            return Segment.CLOSED;
        }
        Segment frame = out.getOutputSegment(bufferId, MessageLayout.frameLength(length), false);
        if (frame.vecCount() > 0) {
            MessageLayout.putLength(frame, length);
        }
        return frame;
    }

    /** Delivers a frame that contains a message of this length. */
    void deliver(Segment frame, int length) {
        int frameLength = MessageLayout.frameLength(length);
        out.deliver(frame, frameLength);
        // Checked after delivery, because a lost connection counts as closed before its subscriptions are removed. If
        // it is still open here, its subscription includes this message, and the buffer's position shows whether the
        // broker has confirmed it. Otherwise the message is lost, whatever position the buffer reports.
        if (!connection.isOpen()) {
            published.loseFurther();
        }
        if (published.isFull()) {
            confirm();
            published.makeRoom();
        }
        published.add(frameLength, length);
    }

    /** Returns a frame's space without publishing it. */
    void cancel(Segment frame) {
        out.deliver(frame, 0);
    }

    Claims claims() {
        return claims;
    }

    PublishResult ended() {
        return ended;
    }

    /** Returns the result for a segment that was refused; null for one that was granted. */
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
     * Waits, without the lock, for a signal or {@link #ASK_AGAIN_MS}; returns false when interrupted.
     *
     * @param seen the number of the last signal, read before the attempt to reserve space
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
        if (out.rocketBufs().isWorkerThread()) {
            throw new IllegalStateException("topic=" + topic + ": a worker must not wait for space");
        }
        lock.lock();
        try {
            claims.checkNoneOf(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    // Counters.

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

    /** Updates the confirmed position; without flow control the broker confirms nothing. */
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

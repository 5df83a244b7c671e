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
import java.util.function.Consumer;
import java.util.function.LongSupplier;

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
    private final SpaceSignal space;
    private final ReentrantLock lock = new ReentrantLock();
    /**
     * Why messages are refused; null while they are accepted. Changes only under the lock.
     *
     * <pre>
     *   null &lt;---- interest ----&gt; UNHEARD              with WhenUnheard.DROP
     *     |                          |
     *     +------------+-------------+
     *                  v
     *    CLOSED, REFUSED, NOT_CONNECTED             the topic has ended
     * </pre>
     */
    private volatile PublishResult refusing;

    private volatile Interest interest = Interest.UNKNOWN;
    private volatile Consumer<Boolean> interestListener = hasSubscribers -> {};

    // Guarded by the lock.
    private final Claims claims = new Claims(this);
    private final PublishedMessages published = new PublishedMessages();
    private long unheardCount;
    private boolean draining;
    private volatile boolean hasBuffer;

    /**
     * Creates an output that is not announced yet and has no buffer.
     *
     * @param space told by the caller's space callback
     * @param onRemoved run without the lock, possibly more than once, when the topic has ended and its buffer is
     *     removed
     */
    TopicOutput(
            String topic,
            int bufferId,
            ROut out,
            Connection connection,
            ClientSettings settings,
            SpaceSignal space,
            Runnable onRemoved) {
        this.topic = topic;
        this.bufferId = bufferId;
        this.out = out;
        this.connection = connection;
        this.settings = settings;
        this.space = space;
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

    /** Creates the buffer and announces the topic; throws a TransportException when too many control messages wait. */
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
            if (e.code() == TransportException.Code.RESOURCES) {
                throw e;
            }
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

    /** Sets the library's own receiver of the changes that {@link PublisherCallback#onInterest} reports. */
    void listen(Consumer<Boolean> listener) {
        interestListener = listener;
    }

    void tellInterest() {
        interestListener.accept(hasSubscribers());
    }

    /**
     * Called on the worker when the broker reports the topic's subscribers; returns true when that is news and the
     * topic has not ended.
     */
    boolean onInterest(Interest reported) {
        lock.lock();
        try {
            if (reported == interest || ended() != null) {
                return false;
            }
            interest = reported;
            if (settings.whenUnheard() == WhenUnheard.DROP) {
                refusing = reported == Interest.NONE ? PublishResult.UNHEARD : null;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns false when the broker has reported that the topic has no subscribers. */
    boolean hasSubscribers() {
        return interest != Interest.NONE;
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
            refusing = ended() == null ? why : refusing;
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
            if (ended() != null) {
                return;
            }
            refusing = PublishResult.CLOSED;
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
            if (confirmed().isConfirmed()) {
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
        PublishResult ended = ended();
        return new TransportException(
                TransportException.Code.CLOSED, describeEnd(ended == null ? PublishResult.NOT_CONNECTED : ended));
    }

    /** Removes the buffer if the topic has ended and no caller is writing into it. The caller must hold the lock. */
    void removeWhenUnused() {
        if (ended() != null && !draining && hasBuffer && !claims.areOpen()) {
            confirmed().close();
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
        if (space.isAwaited()) {
            space.tell();
        }
        tellWhenRemoved();
    }

    private void tellWhenRemoved() {
        if (ended() != null && !hasBuffer) {
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
        return frame.vecCount() > 0 ? frame : takeAgain(frame, length, timeoutNs);
    }

    /**
     * Acquires the lock, and then reserves space for a message even if the topic has no subscribers. Does not wait.
     * Otherwise like {@link #lockAndTake}.
     */
    Segment lockAndTakeUnheard(int length) {
        checkLength(length);
        lock.lock();
        boolean isUnheard = refusing == PublishResult.UNHEARD && connection.isOpen();
        Segment frame = isUnheard ? reserve(length) : take(length);
        return isUnheard || frame.vecCount() > 0 ? frame : takeAgain(frame, length, 0);
    }

    /** Tries again after a refusal, if that can help; counts the message if it is dropped. */
    private Segment takeAgain(Segment refused, int length, long timeoutNs) {
        boolean isUseful = timeoutNs > 0 || space.wantsRefusal();
        Segment frame =
                isUseful && refusal(refused) == PublishResult.NO_SPACE ? takeOnceThereIs(length, timeoutNs) : refused;
        if (refusal(frame) == PublishResult.UNHEARD) {
            unheardCount++;
        }
        return frame;
    }

    private Segment takeOnceThereIs(int length, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            long seen = space.last();
            Segment frame = take(length);
            if (refusal(frame) != PublishResult.NO_SPACE) {
                return frame;
            }
            if (space.refused(seen)) {
                if (deadlineNs - System.nanoTime() <= 0) {
                    return frame;
                }
                if (!await(seen)) {
                    return null;
                }
            }
        }
    }

    private void checkLength(int length) {
        if (length < 0 || length > longestMessage) {
            throw new IllegalArgumentException(
                    "length=" + length + " longestMessage=" + longestMessage + " topic=" + topic);
        }
    }

    private Segment take(int length) {
        // The connection is checked too, because a lost connection removes its subscriptions before it reports the
        // loss, and data without a subscriber would be discarded.
        return refusing != null || !connection.isOpen() ? Segment.CLOSED : reserve(length);
    }

    /**
     * Reserves space for a message and writes its length; returns one of Segment's constants if there is no space. An
     * exception releases the lock.
     */
    private Segment reserve(int length) {
        try {
            Segment frame = out.getOutputSegment(bufferId, MessageLayout.frameLength(length), false);
            if (frame.vecCount() > 0) {
                MessageLayout.putLength(frame, length);
            }
            return frame;
        } catch (RuntimeException | Error e) {
            lock.unlock();
            throw e;
        }
    }

    /** Delivers a frame that contains a message of this length without headers. */
    void deliver(Segment frame, int length) {
        deliver(frame, MessageLayout.frameLength(length), length);
    }

    /** Delivers a frame of {@code frameLength} bytes that contains a message of {@code length} bytes. */
    void deliver(Segment frame, int frameLength, int length) {
        out.deliver(frame, frameLength);
        // Checked after delivery, because a lost connection counts as closed before its subscriptions are removed. If
        // it is still open here, its subscription includes this message, and the buffer's position shows whether the
        // broker has confirmed it. Otherwise the message is lost, whatever position the buffer reports.
        if (!connection.isOpen()) {
            published.loseFurther();
        }
        if (published.isFull()) {
            confirmed().makeRoom();
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

    /** Returns why the topic has ended; null before that. */
    PublishResult ended() {
        PublishResult why = refusing;
        return why == PublishResult.UNHEARD ? null : why;
    }

    /** Returns the result for a segment that was refused; null for one that was granted. */
    PublishResult refusal(Segment frame) {
        if (frame == null) {
            return PublishResult.INTERRUPTED;
        }
        if (frame.vecCount() >= 0) {
            return null;
        }
        if (frame != Segment.CLOSED) {
            return PublishResult.NO_SPACE;
        }
        PublishResult why = refusing;
        return why == null || why == PublishResult.UNHEARD && !connection.isOpen() ? PublishResult.NOT_CONNECTED : why;
    }

    /**
     * Releases the lock while it waits for a signal or {@link #ASK_AGAIN_MS}; returns false when interrupted. The
     * caller does not hold the lock after an exception.
     *
     * @param seen the number of the last signal, read before the attempt to reserve space
     */
    private boolean await(long seen) {
        try {
            checkMayWait();
        } finally {
            lock.unlock();
        }
        try {
            space.await(seen, ASK_AGAIN_MS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.lock();
        }
    }

    private void checkMayWait() {
        if (out.rocketBufs().isWorkerThread()) {
            throw new IllegalStateException("topic=" + topic + ": a worker must not wait for space");
        }
        claims.checkNoneOf(Thread.currentThread());
    }

    // Counters.

    long publishedCount() {
        return read(published::count);
    }

    long publishedLength() {
        return read(published::length);
    }

    long unheardCount() {
        return read(() -> unheardCount);
    }

    long unconfirmedCount() {
        return read(() -> confirmed().unconfirmedCount());
    }

    long unconfirmedLength() {
        return read(() -> confirmed().unconfirmedLength());
    }

    private long read(LongSupplier counter) {
        lock.lock();
        try {
            return counter.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** Updates the confirmed position; without flow control the broker confirms nothing. */
    private PublishedMessages confirmed() {
        if (hasBuffer && settings.flowControl()) {
            published.confirm(out.consumedPosition(bufferId));
        } else if (hasBuffer) {
            published.confirmAll();
        }
        return published;
    }
}

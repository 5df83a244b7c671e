package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The buffer of one topic of a publisher, from announcement to end.
 *
 * <p>A buffer allows only one producing thread at a time, so a lock guards it. A thread that finds no space releases
 * the lock while it waits. Meanwhile, other callers can acquire the lock to publish without waiting, to commit a claim
 * or to report the topic's end.
 *
 * <p><b>Thread-safety:</b> any thread; callers of {@link #take}, {@link #deliver} and {@link #claims()} must hold the
 * lock. <b>Ownership:</b> the buffer is removed once the topic has ended and no claim is open, because the holder of a
 * claim writes into its memory.
 */
final class TopicOutput implements TopicSpaceWait.Source {
    private final String topic;
    private final int bufferId;
    private final ROut out;
    private final ClientSettings settings;
    private final boolean keeps;
    private final Runnable onRemoved;
    private final int longestMessage;
    private final CompletableFuture<Void> announced = new CompletableFuture<>();
    private final SpaceSignal space;
    private final ReentrantLock lock = new ReentrantLock();
    private final TopicSpaceWait wait;
    private final Acceptance acceptance;
    private volatile TopicListener listener = TopicListener.NONE;

    // Guarded by the lock.
    private volatile Connection connection;

    private final Claims claims = new Claims(this);
    private final PublishedMessages published = new PublishedMessages();
    private volatile boolean draining;
    private volatile boolean isDropped;
    private volatile boolean hasBuffer;

    /**
     * Creates an output that has not been announced and has no buffer.
     *
     * @param space signalled by the caller's space callback
     * @param onRemoved run without the lock, possibly more than once, when the topic has ended and its buffer has been
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
        this.keeps = settings.keepsUnconfirmed();
        this.acceptance = new Acceptance(topic, settings.whenUnheard() == WhenUnheard.DROP);
        this.space = space;
        this.wait = new TopicSpaceWait(topic, () -> out.rocketBufs().isWorkerThread(), claims, lock, space);
        this.onRemoved = onRemoved;
        this.longestMessage = MessageLayout.longest(settings.publisherCapacity());
    }

    String topic() {
        return topic;
    }

    int bufferId() {
        return bufferId;
    }

    /** Returns true if the buffer outlives its connection, so that messages can be sent again. */
    boolean keeps() {
        return keeps;
    }

    /** Returns the failure that ended the topic; null if the topic has not ended or was closed. */
    TransportException endCause() {
        return acceptance.endCause();
    }

    int longestMessage() {
        return longestMessage;
    }

    CompletableFuture<Void> announced() {
        return announced;
    }

    // Start and end.

    /** Creates the buffer and announces the topic; throws a TransportException if too many messages are queued. */
    void announce() {
        out.createBuffer(
                bufferId,
                settings.publisherCapacity(),
                BufferOptions.DEFAULTS
                        .withHold(true)
                        .withFlowControl(settings.flowControl())
                        .withResume(keeps));
        hasBuffer = true;
        sendAnnouncement(connection);
    }

    /** Ends the topic if sending fails, unless the next connection will announce it; throws if the queue is full. */
    private void sendAnnouncement(Connection to) {
        try {
            to.sendControlMessage(settings.announcement(bufferId, topic));
        } catch (TransportException e) {
            if (!keeps || to.isOpen()) {
                end(PublishResult.NOT_CONNECTED);
            }
            if (e.code() == TransportException.Code.RESOURCES) {
                throw e;
            }
        }
    }

    void onAnnounced() {
        locked(published::resend);
        announced.complete(null);
    }

    /** Called when the connection was lost and will be replaced, but only if messages are kept. */
    void onLost() {
        locked(() -> {
            if (announced.isDone()) {
                confirmed().lose();
            }
            acceptance.forgetInterest();
        });
    }

    /** Announces the topic over another connection, over which unconfirmed messages are then sent again. */
    void resume(Connection next) {
        locked(() -> connection = next);
        if (hasBuffer && (ended() == null || draining)) {
            sendAnnouncement(next);
        }
    }

    /** Ends the topic and returns the cause. */
    TransportException onRefused(String reason) {
        TransportException refusal = new TransportException(
                TransportException.Code.REFUSED, "the broker refused topic \"" + topic + "\": " + reason);
        end(PublishResult.REFUSED, refusal);
        return refusal;
    }

    /** Sets the library's internal listener for this output's events. */
    void listen(TopicListener receiver) {
        listener = receiver;
    }

    TopicListener listener() {
        return listener;
    }

    /**
     * Called on the worker when the broker reports the topic's subscribers; returns true if this is a change and the
     * topic has not ended.
     */
    boolean onInterest(Interest reported) {
        lock.lock();
        try {
            return acceptance.onInterest(reported);
        } finally {
            lock.unlock();
        }
    }

    /** Returns false if the broker has reported that the topic has no subscribers. */
    boolean hasSubscribers() {
        return acceptance.hasSubscribers();
    }

    void onSpace() {
        space.tell();
    }

    /** Ends publishing and wakes waiting threads. Published messages that have not been sent are lost. */
    void end(PublishResult why) {
        end(why, acceptance.failureOf(why));
    }

    /**
     * Ends the topic. The announcement's future completes last, because publishing must fail before its callbacks run.
     */
    private void end(PublishResult why, TransportException failure) {
        lock.lock();
        try {
            draining = false;
            acceptance.end(why, failure);
            removeWhenUnused();
        } finally {
            lock.unlock();
        }
        space.tell();
        announced.completeExceptionally(failure);
        tellWhenRemoved();
    }

    /** Ends publishing, and removes the buffer once the published messages have been sent. */
    void close() {
        lock.lock();
        try {
            if (ended() != null) {
                return;
            }
            acceptance.close();
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
        OutputCounts counts = counts();
        if (counts.unconfirmedLength() == 0 && counts.droppedCount() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return hasBuffer && isReachable() ? flushUnlocked() : CompletableFuture.failedFuture(acceptance.failure());
    }

    /** Requests the flush without the lock, because the request may complete earlier flushes on this thread. */
    private CompletableFuture<Void> flushUnlocked() {
        try {
            return out.flush(bufferId);
        } catch (IllegalArgumentException e) {
            // The topic has ended in the meantime, and its buffer has been removed.
            return CompletableFuture.failedFuture(acceptance.failure());
        }
    }

    /** Returns true if this connection or a later one can confirm messages. */
    private boolean isReachable() {
        return connection.isOpen() || keeps;
    }

    /** Removes the buffer if the topic has ended and no claim is open. The caller must hold the lock. */
    void removeWhenUnused() {
        if (ended() != null && !draining && hasBuffer && !claims.areOpen()) {
            confirmed().close();
            hasBuffer = false;
            out.removeBuffer(bufferId);
        }
    }

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

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Acquires the lock and reserves space for a message; releases the lock while it waits. The caller holds the lock
     * after a normal return, but not after an exception.
     *
     * @return a frame, or one of Segment's constants; null if the thread was interrupted
     * @throws IllegalStateException when there is no space and this thread must not wait
     */
    Segment lockAndTake(int length, long timeoutNs) {
        checkLength(length);
        lock.lock();
        Segment frame = take(length);
        return frame.vecCount() > 0 ? frame : takeAgain(frame, length, timeoutNs);
    }

    /**
     * Acquires the lock and reserves space for a message without waiting, even if the topic has no subscribers.
     * Otherwise like {@link #lockAndTake}.
     */
    Segment lockAndTakeUnheard(int length) {
        checkLength(length);
        lock.lock();
        boolean isUnheard = acceptance.refusing() == PublishResult.UNHEARD && isReachable();
        Segment frame = isUnheard ? reserve(length) : take(length);
        return isUnheard || frame.vecCount() > 0 ? frame : takeAgain(frame, length, 0);
    }

    /** Retries a refused reservation if that can help. Counts the message if the topic has no subscribers. */
    Segment takeAgain(Segment refused, int length, long timeoutNs) {
        boolean isUseful = timeoutNs > 0 || space.wantsRefusal();
        Segment frame =
                isUseful && refusal(refused) == PublishResult.NO_SPACE ? wait.take(this, length, timeoutNs) : refused;
        if (refusal(frame) == PublishResult.UNHEARD) {
            published.addUnheard();
        }
        return frame;
    }

    void checkLength(int length) {
        if (length < 0 || length > longestMessage) {
            throw new IllegalArgumentException(
                    "length=" + length + " longestMessage=" + longestMessage + " topic=" + topic);
        }
    }

    @Override
    public Segment take(int length) {
        // Also checks the connection: a lost connection removes its subscriptions before it reports the loss, and data
        // without a subscriber would be discarded.
        return acceptance.refusing() != null || !isReachable() ? Segment.CLOSED : reserve(length);
    }

    /**
     * Reserves space for a message and writes its length; returns one of Segment's constants if there is no space. An
     * exception releases the lock.
     */
    private Segment reserve(int length) {
        try {
            Segment frame = out.getOutputSegment(bufferId, MessageLayout.frameLength(length), false);
            if (frame.vecCount() > 0) {
                MessageLayout.putLength(frame, 0, length);
            }
            return frame;
        } catch (RuntimeException | Error e) {
            lock.unlock();
            throw e;
        }
    }

    /** Delivers the first {@code framesLength} bytes of a segment: {@code count} messages of {@code length} bytes. */
    void deliver(Segment frames, int framesLength, int count, long length) {
        out.deliver(frames, framesLength);
        // Checked after delivery, because a lost connection counts as closed before its subscriptions are removed. If
        // it is still open here, its subscription includes this message, and the buffer's position shows whether the
        // broker has confirmed it. Otherwise, the message is lost, regardless of that position.
        if (!isReachable()) {
            published.loseFurther();
        }
        if (published.isFull()) {
            confirmed().makeRoom();
        }
        published.add(framesLength, count, length);
    }

    /** Returns the space of a frame to the buffer without publishing the frame. */
    void cancel(Segment frame) {
        out.deliver(frame, 0);
    }

    Claims claims() {
        return claims;
    }

    /** Returns the result with which the topic has ended; null before that. */
    PublishResult ended() {
        return acceptance.ended();
    }

    /** Returns the result for a segment that was refused; null for one that was granted. */
    @Override
    public PublishResult refusal(Segment frame) {
        if (frame == null) {
            return PublishResult.INTERRUPTED;
        }
        if (frame.vecCount() >= 0) {
            return null;
        }
        if (frame != Segment.CLOSED) {
            return PublishResult.NO_SPACE;
        }
        PublishResult why = acceptance.refusing();
        return why == null || why == PublishResult.UNHEARD && !isReachable() ? PublishResult.NOT_CONNECTED : why;
    }

    // Counters.

    /** Returns the counters, which include the broker's latest confirmations. */
    OutputCounts counts() {
        lock.lock();
        try {
            return confirmed().counts();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Counts unconfirmed messages as dropped, unless the broker has refused the topic. Called after {@link #end} when
     * the connection is lost. Returns the number of messages that this call has dropped.
     */
    long drop() {
        lock.lock();
        try {
            isDropped = ended() != PublishResult.REFUSED;
            return isDropped ? confirmed().drop() : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns true after {@link #drop}, unless the broker had refused the topic. */
    boolean isDropped() {
        return isDropped;
    }

    /** Updates the confirmed position. Without flow control, the broker confirms nothing. */
    private PublishedMessages confirmed() {
        if (hasBuffer && settings.flowControl()) {
            published.confirm(out.consumedPosition(bufferId));
        } else if (hasBuffer) {
            published.confirmAll();
        }
        return published;
    }
}

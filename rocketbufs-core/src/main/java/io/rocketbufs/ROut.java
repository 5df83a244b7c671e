package io.rocketbufs;

import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.metrics.SubscriptionTotals;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.out.OutputBuffer;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.out.Tap;
import io.rocketbufs.session.SubscriptionListener;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jctools.maps.NonBlockingHashMapLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A publisher that creates buffers and sends their data to every {@link RIn} that subscribes over one of its
 * connections.
 *
 * <p><b>Thread-safety:</b> any thread, except that only one thread at a time may produce into a buffer (checked by an
 * assertion). Set callbacks before the first buffer is created. <b>Ownership:</b> buffers live until
 * {@link #removeBuffer} or {@link #close()}, and after that until all delivered data has been sent to every subscriber.
 * <b>Source:</b> RocketBufs 3.2, listing 2 (rOut).
 */
public final class ROut implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ROut.class);

    private final RocketBufs rocketBufs;
    private final Outputs outputs;
    private final NonBlockingHashMapLong<OutputSegments> buffers = new NonBlockingHashMapLong<>();
    private volatile DataOutCallback onDataOut;
    private volatile SpaceCallback onSpace;
    private volatile SubscriptionCallback onSubscription;
    private volatile SlowCallback onSlow;
    /**
     * The most recently used segments, cached to avoid a lookup. Not synchronized: a thread may see any earlier value.
     */
    private OutputSegments last;

    /** Creates an ROut without buffers. */
    public ROut(RocketBufs rocketBufs) {
        this.rocketBufs = rocketBufs;
        this.outputs = new Outputs(rocketBufs.add(this), rocketBufs.memory(), rocketBufs::isWorkerThread);
    }

    /** Returns the RocketBufs instance from which this ROut was created. */
    public RocketBufs rocketBufs() {
        return rocketBufs;
    }

    /**
     * Sets the callback invoked with the status of each delivery into buffers created after this call. The logs of
     * these buffers keep a separate record for each delivery.
     */
    public void setDataOutCallback(DataOutCallback callback) {
        onDataOut = callback;
    }

    /**
     * Sets the callback invoked when a previously refused segment may have become available. Applies to buffers created
     * after this call. The callback may run within {@link #getOutputSegment}: see {@link SpaceCallback}.
     */
    public void setSpaceCallback(SpaceCallback callback) {
        onSpace = callback;
    }

    /**
     * Sets the callback invoked when peers subscribe and when their subscriptions end. Without a callback, a
     * subscription that fails while its connection is open is logged.
     */
    public void setSubscriptionCallback(SubscriptionCallback callback) {
        onSubscription = callback;
    }

    /**
     * Sets the callback invoked while a subscription makes the producer of a buffer wait. Applies to subscriptions that
     * begin after this call; without a callback, slow subscriptions are not measured.
     */
    public void setSlowCallback(SlowCallback callback) {
        onSlow = callback;
    }

    /**
     * Allows the peer of a connection to subscribe to this ROut's buffers. To see every subscription, call this method
     * in the {@link ConnectionCallback}.
     */
    public void addConnection(Connection connection) {
        addConnection(connection, SubscribePermission.ALL);
    }

    /**
     * Allows the peer of a connection to subscribe to the buffers of this ROut that the permission includes. Otherwise,
     * behaves like {@link #addConnection(Connection)}.
     */
    public void addConnection(Connection connection, SubscribePermission permission) {
        connection.session().sendFrom(outputs, permission, new Subscriptions(connection));
    }

    /** Creates a buffer of {@code rocketbufs.buffer-capacity} bytes with {@link BufferOptions#DEFAULTS}. */
    public void createBuffer(int bufferId) {
        createBuffer(bufferId, rocketBufs.settings().bufferCapacity());
    }

    /** Creates a buffer with {@link BufferOptions#DEFAULTS}. */
    public void createBuffer(int bufferId, long capacity) {
        createBuffer(bufferId, capacity, BufferOptions.DEFAULTS);
    }

    /**
     * Creates a buffer.
     *
     * @param bufferId any number, unique in this ROut
     * @param capacity capacity in bytes
     * @throws IllegalStateException if the id is in use, possibly by a removed buffer whose data is still being sent
     */
    public void createBuffer(int bufferId, long capacity, BufferOptions options) {
        DataOutCallback callback = onDataOut;
        OutputBuffer buffer =
                outputs.create(bufferId, capacity, allowed(options), callback == null ? null : callback::onDataOut);
        SpaceCallback space = onSpace;
        if (space != null) {
            buffer.setSpaceCallback(() -> space.onSpace(bufferId));
        }
        buffers.put(bufferId, new OutputSegments(bufferId, buffer));
    }

    private BufferOptions allowed(BufferOptions options) {
        return rocketBufs.settings().coalescing() ? options : options.withCoalescing(false);
    }

    /**
     * Reserves the next {@code length} bytes of a buffer for the application to fill.
     *
     * @param blocking true to wait for space, which is not allowed on a worker of any transport
     * @return a segment of exactly that length, or one of {@link Segment}'s constants, whose vecCount is -1
     * @throws IllegalArgumentException if the buffer does not exist or could never provide that length
     * @throws IllegalStateException if called on a worker with {@code blocking} set, or if only the caller's own open
     *     segments occupy the space
     */
    public Segment getOutputSegment(int bufferId, long length, boolean blocking) {
        return segments(bufferId).get(length, blocking);
    }

    /**
     * Extends a segment to {@code length} bytes, for data whose length was not known when the segment was reserved. The
     * segment must be the newest open segment of its buffer.
     *
     * @return the same segment; or one of {@link Segment}'s constants, in which case the segment is unchanged
     * @throws IllegalArgumentException if the segment is not the newest
     */
    public Segment extend(Segment segment, long length) {
        long position = segment.owner().buffer().extend(segment.position(), segment.length(), length);
        return position < 0 ? OutputSegments.refusal(position) : segment.set(segment.position(), length);
    }

    /** Delivers a segment without a context; see {@link #deliver(Segment, long, Object)}. */
    public long deliver(Segment segment, long length) {
        return deliver(segment, length, null);
    }

    /**
     * Delivers the first {@code length} bytes of a segment to all subscribers. Usually returns before they are sent.
     * After this call, the segment is invalid and the rest of its space can be reserved again.
     *
     * <p>A delivery must fit into the capacity of each subscription. A subscription with a smaller capacity ends
     * without receiving the delivery, and both sides are notified of the reason
     * ({@link SubscriptionCallback#onSubscriptionEnd}, {@link BufferEndCallback}). The other subscribers receive the
     * delivery.
     *
     * @param length at most the segment's length; 0 cancels the segment
     * @param context passed to the data-out callback
     * @return the delivery's number, for {@link #discard}; -1 if the segment was cancelled
     * @throws IllegalStateException if the segment has already been delivered
     */
    public long deliver(Segment segment, long length, Object context) {
        return segment.owner().deliver(segment, length, context);
    }

    /**
     * Discards a delivery. Subscribers do not receive it unless its transfer to them has already begun.
     *
     * @return false if the buffer's options do not allow discarding, or if the delivery has been sent to all
     *     subscribers
     */
    public boolean discard(int bufferId, long delivery) {
        return segments(bufferId).buffer().discard(delivery);
    }

    /** Splices a buffer under the input's own id; see {@link #splice(RIn, int, int)}. */
    public void splice(RIn in, int bufferId) {
        splice(in, bufferId, bufferId);
    }

    /** Splices a buffer with {@link BufferOptions#DEFAULTS}; see {@link #splice(RIn, int, int, BufferOptions)}. */
    public void splice(RIn in, int inId, int outId) {
        splice(in, inId, outId, BufferOptions.DEFAULTS);
    }

    /**
     * Makes a subscribed input buffer available as a buffer of this ROut. Arriving data is sent to this ROut's
     * subscribers from the same memory, without copying, after the RIn's data-in callback has returned. The data counts
     * as consumed when it has been sent to all subscribers, or on arrival if there are none. If the sender skips data,
     * the gap is reported to every subscriber at its position.
     *
     * <p>The input's sender must not write data for which it has no credit. If the sender's buffer has flow control
     * off, subscribe to it with {@link SubscribeOptions#withFlowControl withFlowControl(true)}. The producer still
     * never waits: the sender skips data for which it has no credit. Subscribers to the spliced buffer then skip data
     * when they are too slow, regardless of their policy.
     *
     * <p>When called on a thread other than the input's worker, this method waits for that worker.
     *
     * @param outId the buffer's id in this ROut; stays in use after the input has ended, until all data has been sent
     *     to all subscribers
     * @param options the buffer's options; hold, discardable and recordCount are ignored, and resume is refused. The
     *     buffer can keep at most as many bytes as the input: see {@link SubscribeOptions#withKeep}. Flow control is
     *     inherited from the input. If the future returned by {@code subscribe} has not completed yet, the value in the
     *     options is assumed, and the subscription fails if the sender's setting differs
     * @throws IllegalArgumentException if the options keep more bytes than the input, or request resume
     * @throws IllegalStateException if the id is in use, or if called on a worker other than the input's. Also thrown
     *     if the input is already spliced, has ended, or has a sender that ignores credit
     */
    public void splice(RIn in, int inId, int outId, BufferOptions options) {
        InputBuffer input = in.inputs().get(inId);
        BufferOptions allowed = allowed(options);
        Connection connection = in.connection();
        if (connection.isWorkerThread()) {
            outputs.splice(input, outId, allowed);
            return;
        }
        if (rocketBufs.isWorkerThread()) {
            throw new IllegalStateException(
                    "inId=" + inId + ": a worker must not wait for another connection's worker");
        }
        CompletableFuture<Void> spliced = CompletableFuture.runAsync(
                () -> outputs.splice(input, outId, allowed),
                connection.session().worker());
        // A worker that has ended drops the task. In that case, closed() ends the wait, because the worker's
        // connections are closed.
        CompletableFuture.anyOf(spliced, connection.closed())
                .exceptionally(failure -> null)
                .join();
        if (!spliced.isDone()) {
            throw new IllegalStateException(
                    "inId=" + inId + " has ended: the connection to " + connection.peer() + " is closed");
        }
        try {
            spliced.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /**
     * Holds all data delivered into a buffer after this call for a connection that will subscribe, so that the
     * connection misses no data.
     *
     * @param timeoutMs how long to hold the data, in milliseconds; if the connection subscribes later, its gap callback
     *     reports the missed data
     */
    public void expect(int bufferId, Connection connection, long timeoutMs) {
        connection.session().expect(outputs, bufferId, timeoutMs);
    }

    /**
     * Opens a reader of a buffer in this process. The reader starts with the next delivery. The buffer keeps the data
     * that the reader has not consumed, so the producer waits for the reader.
     *
     * @param skips true if the reader skips to the newest delivery boundary when the producer needs the memory, instead
     *     of making the producer wait. If the producer never waits, the reader always skips
     * @throws IllegalArgumentException if the buffer does not exist
     */
    public LocalReader openReader(int bufferId, boolean skips) {
        return new LocalReader(bufferId, Tap.open(outputs.existing(bufferId), skips));
    }

    /**
     * Declares that a buffer of this ROut is filled with the data that a reader reads from another buffer, the origin.
     * The {@link SlowCallback} then reports a subscription to the filled buffer while the origin's producer waits for
     * the reader and the reader waits for the filled buffer's subscriptions. The filled buffer's own producer never
     * counts as delayed. Must be called before a connection can subscribe.
     *
     * @param reader the reader of the origin; may be closed before the subscriptions end
     * @param isHeldUp returns true while no subscription accepts the data that the reader could read; called on any
     *     worker
     * @throws IllegalArgumentException if the buffer does not exist
     */
    public void setOrigin(int bufferId, LocalReader reader, BooleanSupplier isHeldUp) {
        outputs.setOrigin(bufferId, reader.originOf(isHeldUp));
    }

    /**
     * Reports to a buffer's subscribers that bytes are missing between the newest delivery and the next one, as a
     * splice does for data that is missing from its input. The gap callback of a subscriber is called before the next
     * delivery. Must be called by the producing thread.
     *
     * @param lost number of bytes, at least 1
     */
    public void addGap(int bufferId, long lost) {
        outputs.addGap(bufferId, lost);
    }

    /**
     * Asks every subscriber of a buffer to report when it has consumed all data delivered so far. Does not block.
     *
     * @return a future that completes when all subscribers, including the connections for which data is held, have
     *     consumed this data. The future completes on the thread that detects the consumption, usually a worker. The
     *     future fails if a subscriber is lost first, or if a subscriber was lost before this call and nothing has been
     *     delivered since
     * @throws IllegalArgumentException if the buffer does not exist, or has no flow control and therefore receives no
     *     reports
     */
    public CompletableFuture<Void> flush(int bufferId) {
        return outputs.flush(bufferId);
    }

    /**
     * Returns the number of bytes, counted from a buffer's creation, that all subscribers are known to have consumed.
     * Subscribers report their progress after every quarter of their capacity and when {@link #flush} requests it. If a
     * subscriber is lost before it has consumed all data, this number never exceeds the number of bytes that the lost
     * subscriber had consumed, unless the buffer keeps that data for the next subscriber. A new subscriber that begins
     * with older data lowers this number.
     */
    public long consumedPosition(int bufferId) {
        return outputs.consumedPosition(bufferId);
    }

    /** Returns the number of connections that are subscribed to a buffer. */
    public int subscriptionCount(int bufferId) {
        return outputs.subscriptionCount(bufferId);
    }

    /** Returns the subscriptions to all buffers. */
    public List<SubscriptionState> subscriptions() {
        return outputs.subscriptions();
    }

    /**
     * Returns totals over the subscriptions to all buffers. Cheaper than {@link #subscriptions()} when there are many
     * subscriptions, because this method does not create an object for each subscription.
     */
    public SubscriptionTotals subscriptionTotals() {
        return outputs.totals();
    }

    /**
     * Makes every subscriber of a buffer skip to the newest delivery boundary, regardless of the subscriber's policy,
     * to free memory. The subscriber's gap callback reports the number of bytes that were skipped. A transfer that the
     * transport has begun and cannot withdraw is finished first.
     *
     * @return number of bytes that had not been sent, summed over the subscribers; -1 if no such buffer exists
     */
    public long skip(int bufferId) {
        return outputs.skip(bufferId);
    }

    /**
     * Preserves a copy of the last bytes of a spliced buffer that is about to end, so that they remain available under
     * the same id. Call this method in the {@link BufferEndCallback} of the buffer's RIn. Subscriptions that begin
     * before the buffer ends are not affected. Each later subscription receives the copy and then the end of the
     * buffer. A subscription that begins with {@link io.rocketbufs.options.Start#LIVE Start.LIVE} or at the copy's end
     * receives only the end of the buffer. Positions continue those of the buffer, so a subscription can
     * {@linkplain io.rocketbufs.options.Start#at continue} where an earlier one stopped. The id stays in use until
     * {@link #forget}.
     *
     * @param newest a segment that ends where the data of the buffer ends: see {@link RIn#lastTransfer}
     * @param index index of the first byte in the segment to preserve
     * @return number of bytes of memory that the copy occupies; -1 if no copy was made, because the operating system
     *     refused to provide the memory or this ROut is closed
     * @throws IllegalStateException if the buffer is already preserved
     * @throws IllegalArgumentException if the buffer does not exist or does not contain these bytes
     */
    public long preserve(int bufferId, Segment newest, long index) {
        if (index < 0 || index >= newest.length()) {
            throw new IllegalArgumentException(
                    "bufferId=" + bufferId + " index=" + index + " is not in segment " + newest);
        }
        ByteBuffer first = newest.vec(0).duplicate();
        ByteBuffer second = newest.vecCount() > 1 ? newest.vec(1).duplicate() : ByteBuffer.allocate(0);
        int skipped = (int) Math.min(index, first.remaining());
        first.position(first.position() + skipped);
        second.position(second.position() + (int) (index - skipped));
        return outputs.preserve(bufferId, first, second);
    }

    /**
     * Removes the copy that {@link #preserve} made of a buffer. Subscriptions that have already begun still receive the
     * copy. Does nothing if there is no copy.
     */
    public void forget(int bufferId) {
        outputs.forgetPreserved(bufferId);
    }

    /**
     * Removes a buffer, spliced or not. Subscribers receive all delivered data and then the end of the buffer. After
     * that, the memory is free and the id can be used again. A thread that is waiting for an output segment receives
     * {@link Segment#CLOSED}. An open segment keeps the memory in use until it is cancelled or delivered; such a
     * delivery reaches no subscriber. No other thread may call {@link #getOutputSegment} for the buffer while this
     * method runs.
     */
    public void removeBuffer(int bufferId) {
        outputs.remove(bufferId);
        buffers.remove(bufferId);
        last = null;
    }

    /** Removes all buffers. Connections stay open. Idempotent. */
    @Override
    public void close() {
        outputs.removeAll();
        rocketBufs.remove(this);
        buffers.clear();
        last = null;
    }

    Outputs outputs() {
        return outputs;
    }

    private OutputSegments segments(int bufferId) {
        OutputSegments recent = last;
        if (recent != null && recent.bufferId() == bufferId && !recent.buffer().isEnded()) {
            return recent;
        }
        OutputSegments segments = buffers.get(bufferId);
        if (segments == null) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " does not exist");
        }
        last = segments;
        return segments;
    }

    /** A listener that reports the subscriptions of one connection to the application. */
    private final class Subscriptions implements SubscriptionListener {
        private final Connection connection;

        private Subscriptions(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void subscribed(int bufferId) {
            SubscriptionCallback callback = onSubscription;
            if (callback != null) {
                callback.onSubscribed(bufferId, connection);
            }
        }

        @Override
        public void subscriptionEnded(SubscriptionState last, long undelivered, String reason) {
            SubscriptionCallback callback = onSubscription;
            if (callback != null) {
                callback.onFinalState(last, connection);
                callback.onSubscriptionEnd(last.bufferId(), connection, undelivered, reason);
            } else if (reason != null && connection.isOpen()) {
                LOG.warn(
                        "The subscription of {} to buffer {} has ended, with {} bytes undelivered: {}",
                        connection.peer(),
                        last.bufferId(),
                        undelivered,
                        reason);
            }
        }

        @Override
        public boolean watches() {
            return onSlow != null;
        }

        @Override
        public void slow(int bufferId, SlowState state) {
            SlowCallback callback = onSlow;
            if (callback != null) {
                callback.onSlow(bufferId, connection, state);
            }
        }

        @Override
        public void losing(int bufferId, LossState state) {
            SlowCallback callback = onSlow;
            if (callback != null) {
                callback.onLoss(bufferId, connection, state);
            }
        }
    }
}

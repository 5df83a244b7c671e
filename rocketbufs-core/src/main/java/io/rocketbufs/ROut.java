package io.rocketbufs;

import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.out.OutputBuffer;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.session.SubscriptionListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jctools.maps.NonBlockingHashMapLong;

/**
 * Creates buffers, takes data into them and disseminates it to every {@link RIn} that subscribes over one of its
 * connections.
 *
 * <p><b>Thread-safety:</b> any thread, except that one thread at a time produces into one buffer (asserted). Callbacks
 * are set before the first buffer is created. <b>Ownership:</b> buffers live until {@link #removeBuffer} or
 * {@link #close()}, and then until every subscriber has what was delivered. <b>Source:</b> RocketBufs 3.2, listing 2
 * (rOut).
 */
public final class ROut implements AutoCloseable {
    private final RocketBufs rocketBufs;
    private final Outputs outputs;
    private final NonBlockingHashMapLong<OutputSegments> buffers = new NonBlockingHashMapLong<>();
    private volatile DataOutCallback onDataOut;
    private volatile SpaceCallback onSpace;
    private volatile SubscriptionCallback onSubscription;
    /** Spares the look-up where one buffer is busy; any thread may see any value. */
    private OutputSegments last;

    /** Makes an ROut without buffers. */
    public ROut(RocketBufs rocketBufs) {
        this.rocketBufs = rocketBufs;
        this.outputs = new Outputs(rocketBufs.add(this), rocketBufs.memory(), rocketBufs::inWorker);
    }

    /**
     * Sets the callback invoked with the status of each delivery. Buffers created from now on keep deliveries apart.
     */
    public void setDataOutCallback(DataOutCallback callback) {
        onDataOut = callback;
    }

    /** Sets the callback invoked when there is space again, for buffers created from now on. */
    public void setSpaceCallback(SpaceCallback callback) {
        onSpace = callback;
    }

    /** Sets the callback invoked when peers subscribe and when their subscriptions end. */
    public void setSubscriptionCallback(SubscriptionCallback callback) {
        onSubscription = callback;
    }

    /** Lets the peer of a connection subscribe to this ROut's buffers; best within the {@link ConnectionCallback}. */
    public void addConnection(Connection connection) {
        connection.session().sendFrom(outputs, new Subscriptions(connection));
    }

    /** {@link #createBuffer(int, long)} with {@code rocketbufs.buffer-capacity} bytes. */
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
     * @param capacity bytes
     * @throws IllegalStateException when the id is in use, also by a removed buffer that is still being sent
     */
    public void createBuffer(int bufferId, long capacity, BufferOptions options) {
        DataOutCallback callback = onDataOut;
        OutputBuffer buffer =
                outputs.create(bufferId, capacity, allowed(options), callback == null ? null : callback::onDataOut);
        SpaceCallback space = onSpace;
        if (space != null) {
            buffer.tellSpace(() -> space.onSpace(bufferId));
        }
        buffers.put(bufferId, new OutputSegments(bufferId, buffer));
    }

    private BufferOptions allowed(BufferOptions options) {
        return rocketBufs.settings().coalescing() ? options : options.withCoalescing(false);
    }

    /**
     * Takes the next {@code length} bytes of a buffer for the application to fill.
     *
     * @param blocking waits for space; not on a worker of any transport
     * @return a segment of exactly that length; or one of {@link Segment}'s constants, with vecCount -1
     * @throws IllegalArgumentException when the buffer does not exist or could never give that length
     * @throws IllegalStateException when blocking on a worker, or for space that only the caller's own open segments
     *     hold
     */
    public Segment getOutputSegment(int bufferId, long length, boolean blocking) {
        return segments(bufferId).get(length, blocking);
    }

    /**
     * Makes the newest open segment of its buffer longer, for data whose length was not known.
     *
     * @return the same segment, or one of {@link Segment}'s constants; then the segment is as before
     * @throws IllegalArgumentException when it is not the newest
     */
    public Segment extend(Segment segment, long length) {
        long position = segment.owner().buffer().extend(segment.position(), segment.length(), length);
        return position < 0 ? OutputSegments.refusal(position) : segment.set(segment.position(), length);
    }

    /** {@link #deliver(Segment, long, Object)} without a context. */
    public long deliver(Segment segment, long length) {
        return deliver(segment, length, null);
    }

    /**
     * Hands the first {@code length} bytes of a segment over for transfer to all subscribers. Returns before they are
     * sent; the segment is over, and the rest of it is free again.
     *
     * @param length at most the segment's; 0 cancels
     * @param context passed to the data-out callback
     * @return the delivery's number, for {@link #discard}; -1 when cancelled
     * @throws IllegalStateException when the segment was delivered already
     */
    public long deliver(Segment segment, long length, Object context) {
        return segment.owner().deliver(segment, length, context);
    }

    /**
     * Takes a delivery back from all subscribers that it has not begun to go to.
     *
     * @return false when the buffer is not discardable, or the delivery has long been sent
     */
    public boolean discard(int bufferId, long delivery) {
        return segments(bufferId).buffer().discard(delivery);
    }

    /** {@link #splice(RIn, int, int)} under the input's own id. */
    public void splice(RIn in, int bufferId) {
        splice(in, bufferId, bufferId);
    }

    /** {@link #splice(RIn, int, int, BufferOptions)} with {@link BufferOptions#DEFAULTS}. */
    public void splice(RIn in, int inId, int outId) {
        splice(in, inId, outId, BufferOptions.DEFAULTS);
    }

    /**
     * Makes a subscribed input buffer a buffer of this ROut too: what arrives goes on to this ROut's subscribers out of
     * the same memory, without a copy, after the RIn's data-in callback has returned. Consumption follows the slowest
     * subscriber, or the arrival while there is no subscriber. Data that the sender leaves out is missing here too, and
     * the gap is reported to every subscriber in its place.
     *
     * <p>The input's sender must keep to its credit. If its buffer has flow control off, subscribe to it with
     * {@link io.rocketbufs.options.SubscribeOptions#withFlowControl withFlowControl(true)}: then its producer still
     * never waits, the sender leaves out what there is no credit for, and a subscriber here that is too slow skips,
     * whatever its policy.
     *
     * <p>Off the input's worker, this waits for that worker.
     *
     * @param outId id in this ROut; after the input's end, reserved until its subscribers have everything
     * @param options of which hold, discardable and recordCount have no meaning here. Flow control is as the input has
     *     it; before the future of {@code subscribe} has completed it is assumed to be as the options say, and the
     *     subscription fails if the sender has it otherwise
     * @throws IllegalStateException when the id is in use, when the input is spliced already, has ended, or is
     *     overwritten without regard to credit, and on the worker of another connection
     */
    public void splice(RIn in, int inId, int outId, BufferOptions options) {
        InputBuffer input = in.inputs().get(inId);
        BufferOptions allowed = allowed(options);
        Connection connection = in.connection();
        if (connection.isWorkerThread()) {
            outputs.splice(input, outId, allowed);
            return;
        }
        if (rocketBufs.inWorker()) {
            throw new IllegalStateException(
                    "inId=" + inId + ": a worker must not wait for another connection's worker");
        }
        CompletableFuture<Void> spliced = CompletableFuture.runAsync(
                () -> outputs.splice(input, outId, allowed),
                connection.session().worker());
        // A worker that has ended drops the task; its connections are closed then.
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
     * Holds a buffer's data from now on for a connection that is going to subscribe, so that it misses nothing.
     *
     * @param timeoutMs how long; a connection that subscribes later is told by its gap callback how much it missed
     */
    public void expect(int bufferId, Connection connection, long timeoutMs) {
        connection.session().expect(outputs, bufferId, timeoutMs);
    }

    /**
     * Asks every subscriber of a buffer to report its consumption, and waits without blocking until all of them, and
     * those that are expected or held for, have consumed what is delivered by now.
     *
     * @return completes then, on the thread that brings the news, usually a worker; fails when one of them is lost
     *     before, and when one was lost before this call and nothing has been delivered since
     * @throws IllegalArgumentException when the buffer does not exist, or has no flow control and so no reports
     */
    public CompletableFuture<Void> flush(int bufferId) {
        return outputs.flush(bufferId);
    }

    /**
     * Returns the bytes delivered into a buffer, from its creation on, that all subscribers are known to have consumed.
     * They report at every quarter of their capacity and when asked by {@link #flush}. A subscriber that is lost before
     * it has consumed everything keeps this where it was.
     */
    public long consumedPosition(int bufferId) {
        return outputs.consumedPosition(bufferId);
    }

    /** Number of connections that are subscribed to a buffer. */
    public int subscriptionCount(int bufferId) {
        return outputs.subscriptionCount(bufferId);
    }

    /** The subscriptions to all buffers. */
    public List<SubscriptionState> subscriptions() {
        return outputs.subscriptions();
    }

    /**
     * Lets every subscriber of a buffer go on at the newest boundary, whatever its policy, so that memory becomes free;
     * its gap callback reports how much was left out. A transport that cannot take back what it is sending lets one
     * pass.
     *
     * @return false when the buffer does not exist, or no more
     */
    public boolean skip(int bufferId) {
        return outputs.skip(bufferId);
    }

    /**
     * Ends a buffer, spliced or not. Subscribers get what was delivered and then the end; after that the memory is free
     * and the id can be used again. A thread that waits for an output segment gets {@link Segment#CLOSED}. A segment
     * that is open now keeps the memory until it is delivered, which then reaches no subscriber, or cancelled. No other
     * thread may take one at the same moment.
     */
    public void removeBuffer(int bufferId) {
        outputs.remove(bufferId);
        buffers.remove(bufferId);
        last = null;
    }

    /** Removes all buffers. Connections live on. Idempotent. */
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

    /** Reports the subscriptions of one connection to the application. */
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
        public void subscriptionEnded(int bufferId, long undelivered, String reason) {
            SubscriptionCallback callback = onSubscription;
            if (callback != null) {
                callback.onSubscriptionEnd(bufferId, connection, undelivered, reason);
            }
        }
    }
}

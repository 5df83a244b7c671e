package io.rocketbufs;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.in.InputSink;
import io.rocketbufs.in.Inputs;
import io.rocketbufs.options.SubscribeOptions;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jctools.maps.NonBlockingHashMapLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscriber to the buffers of one connected {@link ROut}. It receives their data into its own circular buffers.
 *
 * <p><b>Thread-safety:</b> any thread may call the methods. However, only one thread at a time may consume from a
 * buffer: the worker, in the data-in callback, or one application thread. Switching between them requires a handover
 * that establishes a happens-before relationship. Set callbacks before the first subscription. <b>Ownership:</b>
 * buffers live until {@link #unsubscribe} or {@link #close()}, even if the sender has been lost, so received data stays
 * readable. <b>Source:</b> RocketBufs 3.2, listing 2 (rIn).
 */
public final class RIn implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RIn.class);

    private final Connection connection;
    private final Inputs inputs;
    private final NonBlockingHashMapLong<Reference> refs = new NonBlockingHashMapLong<>();
    private volatile DataInCallback onDataIn;
    private volatile GapCallback onGap = (bufferId, position, lost) -> {};
    private volatile BufferEndCallback onEnd = this::logEnd;
    /**
     * The most recently used buffer, cached to avoid a lookup. Not synchronized: a thread may see any earlier value.
     */
    private InputBuffer lastBuffer;
    /** The buffer whose data or end the worker is passing to a callback; meaningful only on the worker. */
    private InputBuffer deliveringBuffer;

    /**
     * Creates an RIn that receives data over a connection. To receive every event, create the RIn in the
     * {@link ConnectionCallback}.
     *
     * @throws IllegalStateException if the connection already has an RIn
     */
    public RIn(Connection connection) {
        this.connection = connection;
        this.inputs = connection.session().receiveInto(new Sink());
    }

    /** Returns the connection. */
    public Connection connection() {
        return connection;
    }

    /** Sets the callback invoked when data arrives. Without a callback, poll {@link #bufferRef}. */
    public void setDataInCallback(DataInCallback callback) {
        onDataIn = callback;
    }

    /** Sets the callback invoked with the peer's control messages. */
    public void setControlMessageCallback(ControlMessageCallback callback) {
        connection.setControlMessageCallback(callback);
    }

    /** Sets the callback invoked when the sender has skipped data. */
    public void setGapCallback(GapCallback callback) {
        onGap = callback;
    }

    /**
     * Sets the callback invoked when a buffer has ended. Without a callback, a buffer that fails while its connection
     * is open is logged.
     */
    public void setBufferEndCallback(BufferEndCallback callback) {
        onEnd = callback;
    }

    private void logEnd(int bufferId, String failure) {
        if (failure != null && connection.isOpen()) {
            LOG.warn("The subscription to buffer {} of {} has ended: {}", bufferId, connection.peer(), failure);
        }
    }

    /** Subscribes with a capacity of {@code rocketbufs.buffer-capacity} bytes; see {@link #subscribe(int, long)}. */
    public CompletableFuture<Void> subscribe(int bufferId) {
        return subscribe(bufferId, connection.bufferCapacity());
    }

    /** Subscribes with {@link SubscribeOptions#DEFAULTS}; see {@link #subscribe(int, long, SubscribeOptions)}. */
    public CompletableFuture<Void> subscribe(int bufferId, long capacity) {
        return subscribe(bufferId, capacity, SubscribeOptions.DEFAULTS);
    }

    /**
     * Subscribes to a buffer of the peer's ROut: allocates memory for the data and shares the memory's address with the
     * peer. Unless the sender has held data for this subscription, the first data to arrive is the first delivery made
     * after the sender accepted the subscription. {@link SubscribeOptions#withStart} requests older data.
     *
     * @param capacity capacity in bytes; may differ from the sender's. The subscription ends if the sender makes a
     *     longer delivery
     * @return a future that completes on the worker when the sender has accepted the subscription, or fails with a
     *     TransportException if the sender refuses it. After acceptance, {@link #startPosition} returns the position at
     *     which the data begins
     * @throws IllegalStateException if this RIn is already subscribed to the id
     * @throws io.rocketbufs.rocketnet.TransportException if the connection is closed
     */
    public CompletableFuture<Void> subscribe(int bufferId, long capacity, SubscribeOptions options) {
        return inputs.subscribe(bufferId, capacity, options).subscribed();
    }

    /**
     * Ends a subscription. Its data must not be accessed after this call. The application can subscribe to the id again
     * immediately. If a thread other than the worker calls this method, a data-in callback of the previous subscription
     * may still be running until the returned future completes. A new subscription receives data only after its own
     * future has completed.
     *
     * @return a future that completes when no more data can arrive for the previous subscription
     */
    public CompletableFuture<Void> unsubscribe(int bufferId) {
        refs.remove(bufferId);
        return inputs.unsubscribe(bufferId).unsubscribed();
    }

    /**
     * Marks the oldest {@code length} unconsumed bytes of a buffer as consumed. Credit updates are sent automatically.
     *
     * @throws IllegalArgumentException if fewer than {@code length} received bytes are unconsumed
     * @throws IllegalStateException if the buffer is spliced, because its data counts as consumed once it has been sent
     *     to all subscribers
     */
    public void dataConsumed(int bufferId, long length) {
        buffer(bufferId).consume(length);
    }

    /**
     * Returns a view of a buffer's received, unconsumed data without copying it. The view covers at most 1 GiB; a
     * shorter view ends where a delivery ends.
     *
     * <p>For an overwriting buffer, the view omits data that is about to be overwritten; check {@link #overwriteLimit}
     * after using the view.
     *
     * @return a read-only view; the next call for this buffer returns the same object with new contents
     */
    public Segment bufferRef(int bufferId) {
        InputBuffer buffer = inputs.get(bufferId);
        Reference known = refs.get(bufferId);
        if (known == null || known.buffer != buffer) {
            // A segment cached for an earlier subscription to this id covers different memory.
            known = new Reference(buffer, Segment.over(bufferId, buffer.memory(), true));
            refs.put(bufferId, known);
        }
        long received = buffer.receivedPosition();
        long from = Math.max(buffer.consumedPosition(), buffer.isOverwriting() ? buffer.overwriteLimit() : 0);
        return known.segment.set(from, Math.min(CircularBuffer.MAX_RANGE, Math.max(0, received - from)));
    }

    /**
     * Returns a view of the newest transfer that was passed to the data-in callback, even if its data has been
     * consumed. Must be called on the worker. The view is valid until the current callback or task returns.
     *
     * @return null if no transfer has arrived, or if its memory may have been reused. A transfer that is no longer than
     *     the number of bytes that the subscription {@linkplain SubscribeOptions#withKeep keeps} is always available
     */
    public Segment lastTransfer(int bufferId) {
        InputBuffer buffer = buffer(bufferId);
        Segment last = (Segment) buffer.attachment();
        long intact = Math.max(buffer.overwriteLimit(), buffer.consumedPosition() - buffer.keep());
        return last == null || last.position() < intact ? null : last;
    }

    /**
     * Returns the position before which an overwriting buffer's memory may have been overwritten. Process the data
     * first, for example by copying it, and then call this method: all data at or after the returned position was
     * intact.
     */
    public long overwriteLimit(int bufferId) {
        VarHandle.fullFence();
        return inputs.get(bufferId).overwriteLimit();
    }

    /** Returns the position up to which whole deliveries have arrived. */
    public long receivedPosition(int bufferId) {
        return inputs.get(bufferId).receivedPosition();
    }

    /**
     * Returns the position in the sender's buffer at which this subscription begins. Positions count the bytes of the
     * sender's buffer since its creation, including bytes lost before they reached it. The sum of this position, the
     * number of bytes received and the number of bytes lost according to the gap callback is the position that this
     * subscriber has reached in the buffer. A later subscription to the same buffer can continue there: see
     * {@link io.rocketbufs.options.Start#at Start.at}. In a discardable buffer, the sum does not include discarded
     * deliveries.
     *
     * @throws IllegalArgumentException if this RIn is not subscribed to the id
     * @throws IllegalStateException if the sender has not accepted the subscription yet
     */
    public long startPosition(int bufferId) {
        return stated(bufferId, buffer(bufferId).startPosition());
    }

    /**
     * Returns the position in the sender's buffer at which the newest delivery ended when the sender accepted this
     * subscription. Data before this position is older than the subscription; data at or after it is newer. The
     * position is at least {@link #startPosition}. If messages are skipped, or lost before they reach the sender's
     * buffer, it is possible that no delivery begins exactly at this position.
     *
     * @throws IllegalArgumentException if this RIn is not subscribed to the id
     * @throws IllegalStateException if the sender has not accepted the subscription yet
     */
    public long livePosition(int bufferId) {
        return stated(bufferId, buffer(bufferId).livePosition());
    }

    private static long stated(int bufferId, long position) {
        if (position < 0) {
            throw new IllegalStateException("bufferId=" + bufferId
                    + ": the sender has not accepted the subscription yet; wait for the future of subscribe");
        }
        return position;
    }

    /** Sends a control message to the peer's application: see {@link Connection#sendControlMessage}. */
    public void sendControlMessage(ByteBuffer message) {
        connection.sendControlMessage(message);
    }

    /** Ends all subscriptions. The connection stays open. Idempotent. */
    @Override
    public void close() {
        refs.clear();
        inputs.unsubscribeAll();
    }

    Inputs inputs() {
        return inputs;
    }

    /**
     * Returns the buffer with the given id. During a data-in or end callback, this is the buffer for which the callback
     * was invoked, even if another thread has since unsubscribed from the id or subscribed to it again.
     */
    private InputBuffer buffer(int bufferId) {
        InputBuffer delivering = deliveringBuffer;
        if (delivering != null && delivering.bufferId() == bufferId && connection.isWorkerThread()) {
            return delivering;
        }
        InputBuffer last = lastBuffer;
        return last != null && last.bufferId() == bufferId && !last.isGivenUp() ? last : inputs.get(bufferId);
    }

    /** The segment that {@link #bufferRef} returns for one subscription. */
    private record Reference(InputBuffer buffer, Segment segment) {}

    /** The receiver of the input buffers' events. */
    private final class Sink implements InputSink {
        @Override
        public void dataIn(InputBuffer buffer, long position, long length) {
            DataInCallback callback = onDataIn;
            if (callback == null) {
                return;
            }
            lastBuffer = buffer;
            deliveringBuffer = buffer;
            try {
                callback.onDataIn(buffer.bufferId(), segmentOf(buffer).set(position, length));
            } finally {
                deliveringBuffer = null;
            }
        }

        private Segment segmentOf(InputBuffer buffer) {
            if (buffer.attachment() == null) {
                buffer.attach(Segment.over(buffer.bufferId(), buffer.memory(), true));
            }
            return (Segment) buffer.attachment();
        }

        @Override
        public void gap(InputBuffer buffer, long position, long lost) {
            onGap.onGap(buffer.bufferId(), position, lost);
        }

        @Override
        public void ended(InputBuffer buffer, String failure) {
            InputBuffer before = deliveringBuffer;
            deliveringBuffer = buffer;
            try {
                onEnd.onBufferEnd(buffer.bufferId(), failure);
            } finally {
                deliveringBuffer = before;
            }
        }
    }
}

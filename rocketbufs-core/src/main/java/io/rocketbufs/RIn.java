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

/**
 * Subscriber to the buffers of one connected {@link ROut}; receives their data into circular buffers of its own.
 *
 * <p><b>Thread-safety:</b> any thread, except that one thread at a time consumes from one buffer. That is the worker,
 * within the data-in callback, or one thread of the application; changing between them needs a handover that orders
 * memory. Set callbacks before the first subscription. <b>Ownership:</b> buffers live until {@link #unsubscribe} or
 * {@link #close()}, even after the sender is lost, so that what arrived stays readable. <b>Source:</b> RocketBufs 3.2,
 * listing 2 (rIn).
 */
public final class RIn implements AutoCloseable {
    private final Connection connection;
    private final Inputs inputs;
    private final NonBlockingHashMapLong<Reference> refs = new NonBlockingHashMapLong<>();
    private volatile DataInCallback onDataIn;
    private volatile GapCallback onGap = (bufferId, position, lost) -> {};
    private volatile BufferEndCallback onEnd = (bufferId, failure) -> {};
    /** Avoids the look-up while one buffer is busy; a thread may see any value. */
    private InputBuffer lastBuffer;
    /** The buffer whose data the worker is currently handing over; meaningless to other threads. */
    private InputBuffer deliveringBuffer;

    /**
     * Creates an RIn that receives from a connection. To miss nothing, create it within the {@link ConnectionCallback}.
     *
     * @throws IllegalStateException when the connection already has an RIn
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

    /** Sets the callback invoked when the sender has left out data. */
    public void setGapCallback(GapCallback callback) {
        onGap = callback;
    }

    /** Sets the callback invoked when a buffer has ended. */
    public void setBufferEndCallback(BufferEndCallback callback) {
        onEnd = callback;
    }

    /** Subscribes as {@link #subscribe(int, long)} does, with {@code rocketbufs.buffer-capacity} bytes. */
    public CompletableFuture<Void> subscribe(int bufferId) {
        return subscribe(bufferId, connection.bufferCapacity());
    }

    /** Subscribes as {@link #subscribe(int, long, SubscribeOptions)} does, with {@link SubscribeOptions#DEFAULTS}. */
    public CompletableFuture<Void> subscribe(int bufferId, long capacity) {
        return subscribe(bufferId, capacity, SubscribeOptions.DEFAULTS);
    }

    /**
     * Subscribes to a buffer of the peer's ROut: allocates memory for it and shares its address with the peer. Data
     * arrives from the next transfer on.
     *
     * @param capacity bytes; need not be the sender's capacity
     * @return a future that completes on the worker when the sender has accepted, and fails with a TransportException
     *     when it refuses
     * @throws IllegalStateException when this RIn is already subscribed to the id
     * @throws io.rocketbufs.rocketnet.TransportException when the connection is closed
     */
    public CompletableFuture<Void> subscribe(int bufferId, long capacity, SubscribeOptions options) {
        return inputs.subscribe(bufferId, capacity, options).subscribed();
    }

    /**
     * Ends a subscription. Its data must no longer be accessed. The id can be subscribed to again at once. If this is
     * called on another thread than the worker, a data-in callback of the former subscription may still be running
     * until the returned future completes. Data of a new subscription arrives after its own future has completed.
     *
     * @return a future that completes when nothing more arrives for the former subscription
     */
    public CompletableFuture<Void> unsubscribe(int bufferId) {
        refs.remove(bufferId);
        return inputs.unsubscribe(bufferId).unsubscribed();
    }

    /**
     * Marks the oldest {@code length} bytes of a buffer as consumed. Credit updates are sent automatically.
     *
     * @throws IllegalArgumentException when fewer bytes have been received and not consumed
     * @throws IllegalStateException when the buffer is spliced, because returning from the callback consumes there
     */
    public void dataConsumed(int bufferId, long length) {
        buffer(bufferId).consume(length);
    }

    /**
     * Returns all data of a buffer that has been received and not consumed, as whole deliveries, without copying. The
     * segment has at most 1 GiB.
     *
     * <p>For an overwriting buffer, data that is about to be overwritten is left out; check {@link #overwriteLimit}
     * after use.
     *
     * @return a read-only view, which the next call for this buffer reuses
     */
    public Segment bufferRef(int bufferId) {
        InputBuffer buffer = inputs.get(bufferId);
        Reference known = refs.get(bufferId);
        if (known == null || known.buffer != buffer) {
            // An earlier subscription to this id had other memory.
            known = new Reference(buffer, Segment.over(bufferId, buffer.memory(), true));
            refs.put(bufferId, known);
        }
        long received = buffer.receivedPosition();
        long from = Math.max(buffer.consumedPosition(), buffer.isOverwriting() ? buffer.overwriteLimit() : 0);
        return known.segment.set(from, Math.min(CircularBuffer.MAX_RANGE, Math.max(0, received - from)));
    }

    /**
     * Returns the position before which an overwriting buffer's memory may have been overwritten. Copy or encrypt
     * first, then call this: data at or after the limit was intact.
     */
    public long overwriteLimit(int bufferId) {
        VarHandle.fullFence();
        return inputs.get(bufferId).overwriteLimit();
    }

    /** Returns the position up to which whole deliveries have arrived. */
    public long receivedPosition(int bufferId) {
        return inputs.get(bufferId).receivedPosition();
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
     * Returns the buffer of an id. Within the data-in callback, that is the buffer whose data is being handed over,
     * even if another thread has unsubscribed or subscribed to the id again in the meantime.
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

    /** Receives the events of the input buffers. */
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
            onEnd.onBufferEnd(buffer.bufferId(), failure);
        }
    }
}

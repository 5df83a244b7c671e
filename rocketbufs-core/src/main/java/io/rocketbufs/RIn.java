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
 * Subscribes to buffers of one connected {@link ROut} and receives their data into circular buffers of its own.
 *
 * <p><b>Thread-safety:</b> any thread, except that one thread at a time consumes from one buffer: its worker from
 * within the data-in callback, or one thread of the application's own, which must not be mixed without handing over.
 * Callbacks are set before the first subscription. <b>Ownership:</b> buffers live until {@link #unsubscribe} or
 * {@link #close()}, also when their sender is gone, so that what arrived stays readable. <b>Source:</b> RocketBufs 3.2,
 * listing 2 (rIn).
 */
public final class RIn implements AutoCloseable {
    private final Connection connection;
    private final Inputs inputs;
    private final NonBlockingHashMapLong<Reference> refs = new NonBlockingHashMapLong<>();
    private volatile DataInCallback onDataIn;
    private volatile GapCallback onGap = (bufferId, position, lost) -> {};
    private volatile BufferEndCallback onEnd = (bufferId, failure) -> {};
    /** Spares the look-up where one buffer is busy; any thread may see any value. */
    private InputBuffer lastBuffer;
    /** The buffer whose data the worker hands over at present; of no meaning to other threads. */
    private InputBuffer deliveringBuffer;

    /**
     * Receives from a connection; best made within the {@link ConnectionCallback}.
     *
     * @throws IllegalStateException when the connection has an RIn already
     */
    public RIn(Connection connection) {
        this.connection = connection;
        this.inputs = connection.session().receiveInto(new Sink());
    }

    /** The connection. */
    public Connection connection() {
        return connection;
    }

    /** Sets the callback invoked when data arrives; without one, poll {@link #bufferRef}. */
    public void setDataInCallback(DataInCallback callback) {
        onDataIn = callback;
    }

    /** Sets the callback invoked with the peer's control messages. */
    public void setControlMessageCallback(ControlMessageCallback callback) {
        connection.setControlMessageCallback(callback);
    }

    /** Sets the callback invoked when data was left out. */
    public void setGapCallback(GapCallback callback) {
        onGap = callback;
    }

    /** Sets the callback invoked when a buffer has ended. */
    public void setBufferEndCallback(BufferEndCallback callback) {
        onEnd = callback;
    }

    /** {@link #subscribe(int, long)} with {@code rocketbufs.buffer-capacity} bytes. */
    public CompletableFuture<Void> subscribe(int bufferId) {
        return subscribe(bufferId, connection.bufferCapacity());
    }

    /** Subscribes without wishes: see {@link #subscribe(int, long, SubscribeOptions)}. */
    public CompletableFuture<Void> subscribe(int bufferId, long capacity) {
        return subscribe(bufferId, capacity, SubscribeOptions.DEFAULTS);
    }

    /**
     * Subscribes to a buffer of the peer's ROut: takes memory for it and tells the peer where. Data delivered from the
     * next transfer on arrives.
     *
     * @param capacity bytes; any number, independent of the sender's
     * @return completes on the worker when the sender has agreed; fails with a TransportException when it refuses
     * @throws IllegalStateException when the id is subscribed to already
     * @throws io.rocketbufs.rocketnet.TransportException when the connection is closed
     */
    public CompletableFuture<Void> subscribe(int bufferId, long capacity, SubscribeOptions options) {
        return inputs.subscribe(bufferId, capacity, options).subscribed();
    }

    /**
     * Gives a buffer up; its data must not be touched any more. The id can be subscribed to again at once. Called off
     * the worker, a data-in callback that has begun for the former subscription may still be running until the returned
     * future completes; data of a new subscription comes after its own future has completed.
     *
     * @return completes when nothing more arrives for it
     */
    public CompletableFuture<Void> unsubscribe(int bufferId) {
        refs.remove(bufferId);
        return inputs.unsubscribe(bufferId).unsubscribed();
    }

    /**
     * Gives back the oldest {@code length} bytes of a buffer; credit reaches the sender by itself.
     *
     * @throws IllegalArgumentException when that is more than there is
     * @throws IllegalStateException when the buffer is spliced: there, returning from the callback consumes
     */
    public void dataConsumed(int bufferId, long length) {
        buffer(bufferId).consume(length);
    }

    /**
     * All received data of a buffer that is not consumed, without copying: whole deliveries.
     *
     * <p>Of an overwriting buffer, only what is not about to be overwritten; check {@link #overwriteLimit} after use. A
     * segment longer than 1 GiB is cut there.
     *
     * @return a read-only view, reused by the next call for this buffer
     */
    public Segment bufferRef(int bufferId) {
        InputBuffer buffer = inputs.get(bufferId);
        Reference known = refs.get(bufferId);
        if (known == null || known.buffer != buffer) {
            // Not one over the memory of an earlier subscription to this id.
            known = new Reference(buffer, Segment.over(bufferId, buffer.memory(), true));
            refs.put(bufferId, known);
        }
        long received = buffer.receivedPosition();
        long from = Math.max(buffer.consumedPosition(), buffer.isOverwriting() ? buffer.overwriteLimit() : 0);
        return known.segment.set(from, Math.min(CircularBuffer.MAX_RANGE, Math.max(0, received - from)));
    }

    /**
     * Position before which an overwriting buffer's memory may have been overwritten. Copy or encrypt, then ask: what
     * lies at or after the limit was intact.
     */
    public long overwriteLimit(int bufferId) {
        VarHandle.fullFence();
        return inputs.get(bufferId).overwriteLimit();
    }

    /** Position up to which whole deliveries have arrived. */
    public long receivedPosition(int bufferId) {
        return inputs.get(bufferId).receivedPosition();
    }

    /** Sends a control message to the peer's application: see {@link Connection#sendControlMessage}. */
    public void sendControlMessage(ByteBuffer message) {
        connection.sendControlMessage(message);
    }

    /** Gives all buffers up. The connection lives on. Idempotent. */
    @Override
    public void close() {
        refs.clear();
        inputs.unsubscribeAll();
    }

    Inputs inputs() {
        return inputs;
    }

    /**
     * The buffer of an id. Within the data-in callback that is the one whose data is handed over, also when another
     * thread has given it up meanwhile or has subscribed to its id anew.
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

package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;

/**
 * The receiver of a connection's events. All methods are called on the connection's {@link Worker}, in the order of the
 * peer's actions, and must not block.
 *
 * <p>A {@link TransportException} thrown by {@link #place}, {@link #arrived} or {@link #control} means that the peer
 * violated the protocol. The transport then stops reading and passes the exception to {@link #failed}. Any other
 * exception is wrapped and treated in the same way.
 */
public interface TransportHandler {
    /**
     * Called once for each arriving write, before its first byte is stored, to obtain the memory for its bytes. Only
     * transports with {@link Capabilities#receiverPlaces} call this method, and only for writes of at least 1 byte.
     *
     * @param immediate the write's immediate data
     * @param length length of the write in bytes, from 1 to {@link Capabilities#longestWrite()}
     * @param into a list with room for at least four ranges. The handler must fill it with ranges of exactly
     *     {@code length} bytes in total, which must stay valid until {@link #arrived}
     */
    void place(int immediate, int length, Vecs into);

    /**
     * Called when a write is complete in local memory.
     *
     * @param immediate the write's immediate data
     * @param length length of the write in bytes; a transport whose completions do not report the length transmits the
     *     length separately
     */
    void arrived(int immediate, int length);

    /**
     * Called at the end of a batch of writes and control messages, when no more data is available to read. The handler
     * can now do work that it deferred during the batch. Called even if the batch contains only part of a write, and
     * before {@link #peerFinished} and {@link #failed}.
     */
    void arrivalsEnd();

    /**
     * Called when a control message has arrived.
     *
     * @param message big-endian, valid only during the call
     */
    void control(ByteBuffer message);

    /**
     * Called when the next {@code count} posted writes, in posting order, have completed. Implies {@link #writable()}:
     * space may be available again, and the handler must call {@link TransportConnection#progress}.
     */
    void completed(int count);

    /**
     * Called when a read has completed: its bytes are in local memory, which belongs to the caller again. Reads and
     * atomic operations need not complete in posting order. {@link #completed} or {@link #writable()} follows, so this
     * method need not post further operations. Reads that have not completed when the connection ends are not reported;
     * {@link #closed()} returns their memory to the caller.
     *
     * @param context the context of the {@link ReadRequest}
     */
    default void readCompleted(long context) {
        throw new IllegalStateException("a read completed that was not posted: context=" + context);
    }

    /**
     * Called when an atomic operation has completed, under the rules of {@link #readCompleted}. If the connection ends
     * first, the operation may or may not have been executed.
     *
     * @param context the context with which the operation was posted
     * @param before the number before the operation
     */
    default void atomicCompleted(long context, long before) {
        throw new IllegalStateException("an atomic operation completed that was not posted: context=" + context);
    }

    /**
     * Called when space is available again after a result of {@link PostResult#NO_WINDOW}. Also called when unsent
     * committed data can be sent, such as withdrawn data or the rest of a control message that counts as sent. The
     * handler must call {@link TransportConnection#progress}, even if it has nothing else to send. Spurious calls are
     * allowed.
     */
    void writable();

    /** Called when the peer has finished sending ({@link TransportConnection#finish}); this side may still send. */
    void peerFinished();

    /** Called at most once, when the connection is broken. Core responds with {@link TransportConnection#close()}. */
    void failed(TransportException cause);

    /** Called last. The transport no longer accesses any memory of this connection. */
    void closed();
}

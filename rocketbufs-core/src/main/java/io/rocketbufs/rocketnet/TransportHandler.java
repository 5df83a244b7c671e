package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;

/**
 * The receiver of a connection's events. All methods are called on the connection's {@link Worker}, in the order in
 * which the peer acted, and none may block.
 *
 * <p>A {@link TransportException} thrown by {@link #place}, {@link #arrived} or {@link #control} means that the peer
 * violated the protocol: the transport stops reading and passes the exception to {@link #failed}. Any other exception
 * is wrapped and treated in the same way.
 */
public interface TransportHandler {
    /**
     * Returns in {@code into} where the bytes of an arriving write go. Called once per write, before its first byte is
     * stored. Only transports whose capabilities say that the receiver places call it, and not for writes of length 0.
     *
     * @param immediate the write's immediate data
     * @param length bytes of the write, 1 to {@link Capabilities#longestWrite()}
     * @param into has room for four ranges, and must be filled with exactly {@code length} bytes; the ranges stay valid
     *     until {@link #arrived}
     */
    void place(int immediate, int length, Vecs into);

    /**
     * Called when a write is complete in local memory.
     *
     * @param immediate the write's immediate data
     * @param length bytes of the write; a transport whose completions do not report the length carries it itself
     */
    void arrived(int immediate, int length);

    /**
     * Called at the end of a batch, when nothing further is available to read: work that was deferred during the last
     * arrivals is done now. Follows every batch of writes and control messages, also a partial one where the transport
     * sees parts. Precedes {@link #peerFinished} and {@link #failed}.
     */
    void arrivalsEnd();

    /**
     * Called when a control message has arrived.
     *
     * @param message big-endian, valid during the call only
     */
    void control(ByteBuffer message);

    /**
     * Called when the next {@code count} posted writes, in the order of posting, have completed. Counts as
     * {@link #writable()}: there may be space again, and {@link TransportConnection#progress} must follow.
     */
    void completed(int count);

    /**
     * Called when there is space again after a {@link PostResult#NO_WINDOW}. Also called when committed data that has
     * not left can be sent, such as withdrawn data or part of a control message that counts as sent.
     * {@link TransportConnection#progress} must follow, even when there is nothing else to send. Spurious calls are
     * allowed.
     */
    void writable();

    /** Called when the peer sends nothing further ({@link TransportConnection#finish}); this side may still send. */
    void peerFinished();

    /** Called at most once, when the connection is broken. Core responds with {@link TransportConnection#close()}. */
    void failed(TransportException cause);

    /** Called last: from now on the transport accesses no memory of this connection. */
    void closed();
}

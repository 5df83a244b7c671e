package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;

/**
 * What a connection tells core. All methods are called on the connection's {@link Worker}, in the order in which the
 * peer acted; none blocks.
 *
 * <p>A {@link TransportException} thrown by {@link #place}, {@link #arrived} or {@link #control} means that the peer
 * broke the protocol: the transport stops reading and passes it to {@link #failed}. Whatever else is thrown is treated
 * alike, wrapped.
 */
public interface TransportHandler {
    /**
     * Says where the bytes of an arriving write go. Called once per write, before its first byte is stored, only by
     * transports whose capabilities say that the receiver places, and not for writes of length 0.
     *
     * @param immediate the write's immediate data
     * @param length bytes of the write, 1 to {@link Capabilities#longestWrite()}
     * @param into has room for four ranges, and is filled with exactly {@code length} bytes; they stay valid until
     *     {@link #arrived}
     */
    void place(int immediate, int length, Vecs into);

    /**
     * A write is complete in our memory.
     *
     * @param immediate the write's immediate data
     * @param length its bytes; a transport whose completions do not tell carries the length itself
     */
    void arrived(int immediate, int length);

    /**
     * Nothing more arrives just now: whatever was put off during the last arrivals is done now. Comes after every batch
     * of writes and control messages, also after a part of one where the transport sees parts, and before
     * {@link #peerFinished} and {@link #failed}.
     */
    void arrivalsEnd();

    /**
     * A control message arrived.
     *
     * @param message big-endian, valid during the call only
     */
    void control(ByteBuffer message);

    /**
     * The next {@code count} posted writes, in the order of posting, have completed. Counts as {@link #writable()}:
     * there may be space again, and {@link TransportConnection#progress} must follow.
     */
    void completed(int count);

    /**
     * There is space again after a {@link PostResult#NO_WINDOW}, or for what is committed but has not left yet, be it
     * withdrawn or part of a control message that counts as sent: {@link TransportConnection#progress} must follow,
     * also when nothing more is to be sent. May come needlessly.
     */
    void writable();

    /** The peer sends nothing any more ({@link TransportConnection#finish}); we still may. */
    void peerFinished();

    /** The connection is broken; called at most once. Core answers with {@link TransportConnection#close()}. */
    void failed(TransportException cause);

    /** The last call: from now on the transport touches no memory of this connection. */
    void closed();
}

package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;

/**
 * An established connection between two endpoints. It moves bytes and reports completions, but does not manage free
 * space.
 *
 * <p><b>Thread-safety:</b> {@link #write}, {@link #put}, {@link #push}, {@link #send}, {@link #writeWord},
 * {@link #progress}, {@link #withdraw} and {@link #finish} form the <em>sending side</em>: any thread may call them,
 * but only one thread at a time. Core guards them with a token; passing the token on also orders memory accesses. The
 * last holder of that token calls {@link #close()} once, on the worker. Any thread may call the other methods at any
 * time.
 *
 * <p><b>Source:</b> RocketBufs 3.5; the one-sided operations follow RDMA's write-with-immediate, which TCP emulates.
 */
public interface TransportConnection {
    /** Returns the local address. */
    InetSocketAddress localAddress();

    /** Returns the peer's address. */
    InetSocketAddress remoteAddress();

    /**
     * Returns the certificate by which the peer has proven its identity to the transport, and which this side has
     * checked; null if there is none. Available from the peer's first message on.
     */
    default X509Certificate peerCertificate() {
        return null;
    }

    /** Returns the capabilities of this connection. Called for each transfer, so it must not allocate. */
    Capabilities capabilities();

    /** Returns the thread that runs this connection's {@link TransportHandler}. */
    Worker worker();

    /**
     * Grants the peer write access to a part of a region, until {@link #revoke} or the end of the connection.
     *
     * @param offset where the part begins in the region, in bytes
     * @param length length of the part in bytes, at least 1
     * @throws IllegalArgumentException if the part is not inside the region, or the region can only be read
     * @throws TransportException if the device cannot register the memory
     */
    RemoteAccess grant(Region region, long offset, long length);

    /**
     * Revokes the access granted by {@link #grant}; the region's memory may be reused when this method returns. Must be
     * called once for each grant, even after {@link #close()}.
     */
    void revoke(RemoteAccess access);

    /** Prepares writes to a buffer of the peer. */
    RemoteBuffer remoteBuffer(RemoteAccess access, long capacity);

    /**
     * Lends a local word to the peer until {@link LentWord#takeBack()}. Any thread may call this method.
     *
     * @throws UnsupportedOperationException when the transport lacks {@link Capabilities.Operation#WRITE_WORD}
     */
    default LentWord lendWord() {
        throw new UnsupportedOperationException(this + " cannot lend words");
    }

    /**
     * Writes local memory to a remote buffer. The peer's {@code arrived} is called with the immediate data once all
     * bytes are in its memory. A request with {@linkplain WriteRequest#more() more} set may be held back and sent with
     * the next one.
     *
     * @return SENT, POSTED (the bytes are committed and must not change before their completion), NO_WINDOW or CLOSED
     */
    PostResult write(WriteRequest request);

    /**
     * Writes local memory to a remote buffer, in order with the writes, words and control messages: once a later write
     * or message is reported to the peer, the peer sees the bytes. The peer is not notified. To announce the bytes
     * without notifying the peer, put them, and then put or {@linkplain #writeWord write} a word that the peer looks
     * at; that requires {@link Capabilities#orderedPut}. The bytes of one put become visible in any order, so the last
     * one does not announce the others.
     *
     * @param request its immediate data and {@link WriteRequest#more()} have no meaning; a length of 0 is allowed and
     *     writes nothing
     * @return SENT, POSTED (the bytes are committed and must not change before their completion, which is reported with
     *     those of the writes), NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException when the transport lacks {@link Capabilities.Operation#PUT}
     */
    default PostResult put(WriteRequest request) {
        throw new UnsupportedOperationException(this + " cannot put");
    }

    /**
     * Sends one control message, in order with the writes. The bytes are copied if necessary.
     *
     * @param message the bytes between its position and its limit; at most {@link Capabilities#longestControl()} bytes
     * @return SENT, NO_WINDOW or CLOSED
     */
    PostResult send(ByteBuffer message);

    /**
     * Writes a number into a word that the peer has lent, in order with the writes and control messages: once a later
     * write or message is reported to the peer, the peer can read the number. The peer is not notified, and no
     * completion is reported on this side. Allocates nothing.
     *
     * @param word the access returned by the peer's {@link LentWord#access()}
     * @return SENT, NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException when the transport lacks {@link Capabilities.Operation#WRITE_WORD}
     */
    default PostResult writeWord(RemoteAccess word, long value) {
        throw new UnsupportedOperationException(this + " cannot write words");
    }

    /** Sends all writes that were held back because others were expected to follow. */
    default void push() {
        // A transport that holds nothing back has nothing to do.
    }

    /**
     * Continues committed operations as far as possible without blocking.
     *
     * @return number of posted writes that this call completed; {@code completed} does not report them again
     */
    int progress();

    /**
     * Frees the local memory of all committed writes immediately, by copying unsent data to private memory. The next
     * {@link #progress()} or write sends the copy.
     *
     * @return number of posted writes that this call completed, or -1 if the transport cannot withdraw writes
     *     ({@link Capabilities#withdraws})
     */
    int withdraw();

    /** Notifies the peer, after all committed data, that this side has finished sending. */
    void finish();

    /**
     * Closes immediately. Committed data that has not been sent is lost, except after {@link #finish()}.
     * {@link TransportHandler#closed()} follows, possibly during this call; until then only completions may be
     * reported.
     */
    void close();
}

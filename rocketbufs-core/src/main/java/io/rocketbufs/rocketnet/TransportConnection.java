package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One established pair of endpoints: moves bytes and reports completions, decides nothing about free space.
 *
 * <p><b>Thread-safety:</b> {@link #write}, {@link #push}, {@link #send}, {@link #writeWord}, {@link #progress},
 * {@link #withdraw} and {@link #finish} form the <em>sending side</em>: any thread may call them, one at a time; core
 * guards them with a token whose handing over orders memory. {@link #close()} is called once, on the worker, by the
 * last holder of that token. The rest may be called by any thread at any time.
 *
 * <p><b>Source:</b> RocketBufs 3.5; the one-sided form follows write-with-immediate, which TCP imitates.
 */
public interface TransportConnection {
    /** Our address. */
    InetSocketAddress localAddress();

    /** The peer's address. */
    InetSocketAddress remoteAddress();

    /** What this connection can do; asked for each transfer, so not made anew. */
    Capabilities capabilities();

    /** The thread that runs this connection's {@link TransportHandler}. */
    Worker worker();

    /** Lets the peer write into the first {@code length} bytes of a region, until {@link #revoke} or the end. */
    RemoteAccess grant(Region region, long length);

    /**
     * Ends what {@link #grant} began; the region's memory may be used otherwise when this returns. Once for each grant,
     * also after {@link #close()}.
     */
    void revoke(RemoteAccess access);

    /** Prepares writing to a buffer of the peer. */
    RemoteBuffer remoteBuffer(RemoteAccess access, long capacity);

    /**
     * Lends the peer a word of ours until {@link LentWord#takeBack()}. Any thread.
     *
     * @throws UnsupportedOperationException without the operation {@link Capabilities.Operation#WRITE_WORD}
     */
    default LentWord lendWord() {
        throw new UnsupportedOperationException("lendWord: " + this);
    }

    /**
     * Writes local memory to a remote buffer. The peer sees {@code arrived} with the immediate data once all is in its
     * memory. One that says that {@linkplain WriteRequest#more() more} follows may be kept back for what follows.
     *
     * @return SENT, POSTED (the bytes are committed and not to be changed before their completion), NO_WINDOW or CLOSED
     */
    PostResult write(WriteRequest request);

    /**
     * Sends one control message, in order with the writes. The bytes are copied if need be.
     *
     * @param message from its position to its limit, at most {@link Capabilities#longestControl()} bytes
     * @return SENT, NO_WINDOW or CLOSED
     */
    PostResult send(ByteBuffer message);

    /**
     * Writes a number into a word that the peer has lent, in order with the writes and control messages: when one of
     * those that follow is reported to the peer, the number can be read there. The peer is not told, and no completion
     * is reported here. Allocates nothing.
     *
     * @param word what the peer's {@link LentWord#access()} says
     * @return SENT, NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException without the operation {@link Capabilities.Operation#WRITE_WORD}
     */
    default PostResult writeWord(RemoteAccess word, long value) {
        throw new UnsupportedOperationException("writeWord: " + this);
    }

    /** Lets everything leave that was kept back because more was going to follow. */
    default void push() {
        // A transport that keeps nothing back has nothing to do.
    }

    /**
     * Goes on with what is committed already as far as possible without waiting.
     *
     * @return how many posted writes completed by this call; those are not reported again by {@code completed}
     */
    int progress();

    /**
     * Frees the local memory of all committed writes at once, by copying what has not left yet to private memory. The
     * copy goes out with the next {@link #progress()} or write.
     *
     * @return how many posted writes completed by this call, or -1 where the transport cannot do it, as
     *     {@link Capabilities#withdraws} says
     */
    int withdraw();

    /** Tells the peer, after all that is committed, that nothing more comes. */
    void finish();

    /**
     * Closes now: what is committed and has not left is lost, except after {@link #finish()}.
     * {@link TransportHandler#closed()} follows, perhaps from within this call; until then only completions may be
     * reported.
     */
    void close();
}

package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.Set;

/**
 * An established connection between two endpoints. It moves bytes and reports completions, but does not manage free
 * space.
 *
 * <p><b>Thread-safety:</b> {@link #write}, {@link #put}, {@link #read}, {@link #fetchAdd}, {@link #compareSwap},
 * {@link #push}, {@link #send}, {@link #writeWord}, {@link #progress}, {@link #withdraw} and {@link #finish} form the
 * <em>sending side</em>: any thread may call them, but only one thread at a time. Core guards them with a token;
 * passing the token to another thread also establishes a happens-before relationship. The last holder of that token
 * calls {@link #close()} once, on the worker. Any thread may call the other methods at any time.
 *
 * <p><b>Source:</b> RocketBufs 3.5. The one-sided operations follow RDMA's write-with-immediate, which TCP emulates.
 */
public interface TransportConnection {
    /** Returns the local address. */
    InetSocketAddress localAddress();

    /** Returns the peer's address. */
    InetSocketAddress remoteAddress();

    /**
     * Returns the certificate with which the peer has proven its identity; null if there is none. The transport has
     * verified the certificate, which is available from the peer's first message on.
     */
    default X509Certificate peerCertificate() {
        return null;
    }

    /** Returns the capabilities of this connection. Called for each transfer, so it must not allocate. */
    Capabilities capabilities();

    /** Returns the thread that runs this connection's {@link TransportHandler}. */
    Worker worker();

    /**
     * Grants the peer only {@link Right#WRITE} on a part of a region. See {@link #grant(Region, long, long, Set)}.
     *
     * @param offset offset of the part in the region, in bytes
     * @param length length of the part in bytes, at least 1
     * @throws IllegalArgumentException if the part is not inside the region, or the region is read-only
     * @throws TransportException if the device cannot register the memory
     */
    RemoteAccess grant(Region region, long offset, long length);

    /**
     * Grants the peer rights to a part of a region, until {@link #revoke} or the end of the connection. A region may
     * have any number of grants, even of overlapping parts. Each grant has separate access data and is revoked
     * separately.
     *
     * <p>If a device or a provider executes the peer's operations, it also enforces the rights. An operation without
     * the required right, or outside the part, has no effect and breaks the connection.
     *
     * @param offset offset of the part in the region, in bytes; a multiple of 8 with {@link Right#ATOMIC}
     * @param length length of the part in bytes, at least 1
     * @param rights at least one right
     * @return the access to send to the peer; {@link RemoteAccess#NONE} if the receiver places the bytes
     * @throws IllegalArgumentException if the part is not inside the region, or the rights include more than
     *     {@link Right#READ} and the region is read-only
     * @throws UnsupportedOperationException for a right that the transport does not offer
     *     ({@link Capabilities#offers(Right)})
     * @throws TransportException if the device cannot register the memory
     */
    default RemoteAccess grant(Region region, long offset, long length, Set<Right> rights) {
        if (!rights.equals(Right.ONLY_WRITE)) {
            throw new UnsupportedOperationException(this + " cannot grant " + rights);
        }
        return grant(region, offset, length);
    }

    /**
     * Shares a whole region with the peer, if the peer's process can access that memory directly. With
     * {@link Right#READ}, the process can read any file ({@link RemoteBuffer#read}). With {@link Right#ATOMIC}, it can
     * also carry out atomic operations on memory for words ({@link RemoteBuffer#fetchAdd}). Any thread may call this
     * method.
     *
     * <p>The sharing lasts until {@link #revoke} or the end of the connection, but only a correct peer stops then. A
     * malicious peer may continue to read the memory's contents, to change memory for words, and to keep the memory in
     * use. It can never write to other memory.
     *
     * @param rights at least one right
     * @return the access to send to the peer; {@link RemoteAccess#NONE} if nothing has been shared
     */
    default RemoteAccess share(Region region, Set<Right> rights) {
        return RemoteAccess.NONE;
    }

    /**
     * Revokes the access granted by {@link #grant} or {@link #share}. Must be called once for each grant, even after
     * {@link #close()}.
     *
     * <p>Once this method has returned, the peer cannot begin another operation. An operation in progress may continue
     * until the connection is closed, unless {@link Capabilities#revokeFences} is true. If {@code revokeFences} is
     * true, or if no operation by the peer on the memory is in progress, the memory may be reused once this method has
     * returned. Otherwise, it may be reused after {@link TransportHandler#closed()}.
     */
    void revoke(RemoteAccess access);

    /** Prepares for writes to the peer's memory and, if the transport offers them, for reads and atomic operations. */
    RemoteBuffer remoteBuffer(RemoteAccess access, long capacity);

    /**
     * Lends a local word to the peer until {@link LentWord#takeBack()}. Any thread may call this method.
     *
     * @return null if the transport has a limited number of words, and all of them are lent
     * @throws TransportException with code CLOSED after {@link #close()}; with code RESOURCES if no memory is available
     * @throws UnsupportedOperationException if the transport lacks {@link Capabilities.Operation#WRITE_WORD}
     */
    default LentWord lendWord() {
        throw new UnsupportedOperationException(this + " cannot lend words");
    }

    /**
     * Writes local memory to a remote buffer. The peer's {@code arrived} is called with the immediate data once all
     * bytes are in the peer's memory. If {@linkplain WriteRequest#more() more} is set, the transport may hold the
     * request back and send it together with the next one.
     *
     * @return SENT, POSTED (the bytes are committed and must not change before their completion), NO_WINDOW or CLOSED
     */
    PostResult write(WriteRequest request);

    /**
     * Writes local memory to a remote buffer. The bytes are ordered with respect to writes, words and control messages:
     * once a later write or message is reported to the peer, the peer sees the bytes. The peer is not notified.
     *
     * <p>To announce the bytes without notifying the peer, put them, and then put or {@linkplain #writeWord write} a
     * word that the peer polls. This requires {@link Capabilities#orderedPut}. The bytes of one put become visible in
     * any order, so the last byte does not announce the others.
     *
     * @param request the write to execute; its immediate data and {@link WriteRequest#more()} have no meaning. A length
     *     of 0 is allowed and writes nothing
     * @return SENT, POSTED (the bytes are committed and must not change before their completion, which is reported
     *     together with the completions of writes), NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException if the transport lacks {@link Capabilities.Operation#PUT}
     */
    default PostResult put(WriteRequest request) {
        throw new UnsupportedOperationException(this + " cannot put");
    }

    /**
     * Sends one control message, ordered with respect to the writes. The bytes are copied if necessary.
     *
     * @param message the bytes between its position and its limit; at most {@link Capabilities#longestControl()} bytes
     * @return SENT, NO_WINDOW or CLOSED
     */
    PostResult send(ByteBuffer message);

    /**
     * Sends one control message like {@link #send(ByteBuffer)}. The transport may hold the message back, like a write
     * with {@link WriteRequest#more}, until {@link #push()}.
     *
     * @param more true if more messages or writes are expected to follow
     */
    default PostResult send(ByteBuffer message, boolean more) {
        return send(message);
    }

    /**
     * Writes a number to a word that the peer has lent. The number is ordered with respect to writes and control
     * messages: once a later write or message is reported to the peer, the peer can read the number. The peer is not
     * notified, and no completion is reported on this side. Allocates nothing.
     *
     * @param word the access returned by the peer's {@link LentWord#access()}
     * @return SENT, NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException if the transport lacks {@link Capabilities.Operation#WRITE_WORD}
     */
    default PostResult writeWord(RemoteAccess word, long value) {
        throw new UnsupportedOperationException(this + " cannot write words");
    }

    /**
     * Reads remote memory into local memory without involving the peer's application. The read sees the bytes of all
     * writes and puts that this connection posted before it. Writes and puts posted later may overtake it. Reads and
     * atomic operations are executed in posting order. Allocates nothing.
     *
     * @return POSTED (the local memory belongs to the transport until {@link TransportHandler#readCompleted} or
     *     {@link TransportHandler#closed()}), NO_WINDOW (also if {@link Capabilities#readWindow} operations are
     *     outstanding) or CLOSED
     * @throws IllegalArgumentException if the request exceeds a limit ({@link ReadRequest#check})
     * @throws UnsupportedOperationException if the transport lacks {@link Capabilities.Operation#READ}
     */
    default PostResult read(ReadRequest request) {
        throw new UnsupportedOperationException(this + " cannot read");
    }

    /**
     * Adds to one of the peer's words, in the byte order of the peer's machine.
     * {@link TransportHandler#atomicCompleted} reports the number before the addition. Ordered like {@link #read}.
     * Allocates nothing.
     *
     * @param remoteOffset offset of the word in the remote buffer; a multiple of 8
     * @param context a value that {@link TransportHandler#atomicCompleted} reports
     * @return POSTED, NO_WINDOW (also if {@link Capabilities#readWindow} operations are outstanding) or CLOSED
     * @throws IllegalArgumentException if no word can start at this offset of the remote buffer
     * @throws UnsupportedOperationException if the transport lacks {@link Capabilities.Operation#FETCH_ADD}
     */
    default PostResult fetchAdd(RemoteBuffer remote, long remoteOffset, long addend, long context) {
        throw new UnsupportedOperationException(this + " cannot add");
    }

    /**
     * Sets one of the peer's words to {@code desired} if it is {@code expected}.
     * {@link TransportHandler#atomicCompleted} reports the number before the operation, which is {@code expected} if
     * the word was set. Otherwise behaves like {@link #fetchAdd}.
     *
     * @throws UnsupportedOperationException if the transport lacks {@link Capabilities.Operation#COMPARE_SWAP}
     */
    default PostResult compareSwap(RemoteBuffer remote, long remoteOffset, long expected, long desired, long context) {
        throw new UnsupportedOperationException(this + " cannot compare and swap");
    }

    /**
     * Returns this side's access to a word of local memory on which the peer, and peers of other connections of the
     * same transport, use atomic operations. Any thread may call this method.
     *
     * @param offset offset of the word in the region, in bytes; a multiple of 8
     * @throws IllegalArgumentException if no word can start at this offset of the region, or the region is read-only
     * @throws UnsupportedOperationException if a device executes the operations and this side cannot use the device
     */
    default AtomicWord atomicWord(Region region, long offset) {
        Capabilities capabilities = capabilities();
        if (capabilities.offers(Right.ATOMIC) && !capabilities.coherentAtomics()) {
            throw new UnsupportedOperationException(
                    this + " cannot change a word that its device changes for the peer: coherentAtomics=false");
        }
        return AtomicWord.ofProcessor(region, offset);
    }

    /**
     * Returns the component that executes the peer's atomic operations on memory of this machine. Two connections
     * return equal executors only if operations of their peers on the same word are mutually atomic. Any thread may
     * call this method.
     */
    default AtomicsExecutor atomicsExecutor() {
        Capabilities capabilities = capabilities();
        return capabilities.offers(Right.ATOMIC) && !capabilities.coherentAtomics()
                ? new AtomicsExecutor(this) // no information about other connections
                : AtomicsExecutor.PROCESSOR;
    }

    /** Sends all writes and messages that were held back. */
    default void push() {
        // Default for transports that hold nothing back.
    }

    /**
     * Continues committed operations as far as is possible without blocking.
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
     * Closes the connection immediately. Committed data that has not been sent is lost, except after {@link #finish()}.
     * {@link TransportHandler#closed()} follows, possibly during this call. Until then, only completions may be
     * reported.
     */
    void close();
}

package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.Vecs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;

/**
 * The system calls of one non-blocking stream socket.
 *
 * <p><b>Thread-safety:</b> {@link #gather(long, Vecs)}, {@link #gather(ByteBuffer, int, int, long)}, {@link #write},
 * {@link #awaitWritable}, {@link #allWritten} and {@link #shutdownOutput} belong to the thread that holds the
 * connection's sending side. All other methods belong to the worker. To call {@link #close}, the worker must also hold
 * the sending side.
 */
interface TcpSocket {
    /**
     * Maximum number of ranges that one write gathers, in addition to the frame's header. Data that wraps around the
     * end of a buffer consists of two ranges, and there may be gaps between deliveries.
     */
    int VECS_PER_WRITE = 16;

    /** Length in bytes of the memory that {@link #established} requires for the list of ranges to write. */
    int SCRATCH_LENGTH = 512;

    /** Starts connecting. Returns true if the connection is already established. */
    boolean connect(InetSocketAddress address) throws IOException;

    /** Registers the socket with a worker's loop, but does not report events yet. Must be called on the worker. */
    void register(TcpWorker worker) throws IOException;

    /** Sets the {@code readiness} that is notified when the connection attempt ends. */
    void connecting(TcpReadiness readiness);

    /** Returns whether the connection is established. Throws an exception if the connection attempt has failed. */
    boolean finishConnect() throws IOException;

    /**
     * Called when the connection is established. The socket then reports events to {@code readiness}; initially, it
     * reports only that there is data to read.
     *
     * @param scratch memory of {@link #SCRATCH_LENGTH} bytes, used by this socket until it is closed
     * @param address address of the first byte of {@code scratch}
     */
    void established(TcpReadiness readiness, ByteBuffer scratch, long address);

    /** Returns the local address. */
    InetSocketAddress localAddress();

    /** Returns the peer's address, or null if the socket is not connected. */
    InetSocketAddress remoteAddress();

    /**
     * Returns the peer's certificate, which this side has verified, or null if the peer presented none. The certificate
     * is available once the peer's first data has arrived.
     */
    default X509Certificate peerCertificate() {
        return null;
    }

    /**
     * Reads once into a range, specified as in {@link Vecs}.
     *
     * @return the number of bytes read, 0 if no data is available, -1 at the end of the stream
     */
    int read(ByteBuffer window, int offset, int length, long address) throws IOException;

    /**
     * Stops or resumes reporting that there is data to read, which avoids events while the data cannot be read. A
     * socket that reports each event only once does not need to implement this method.
     */
    default void reportReadable(boolean on) {
        // This socket reports each event only once.
    }

    /** Permanently stops reporting that there is data to read. */
    void stopReading();

    /**
     * Replaces the data to write with a frame's header and the given ranges. Each write rereads the memory of the
     * ranges.
     */
    void gather(long header, Vecs vecs);

    /** Replaces the data to write with one range. */
    void gather(ByteBuffer window, int offset, int length, long address);

    /**
     * Writes as much of the gathered data as the socket has space for. Returns the number of bytes written; the next
     * call continues after them.
     */
    long write() throws IOException;

    /**
     * Requests one notification when there is space to write. If there is already space, the notification follows
     * immediately.
     */
    void awaitWritable();

    /** Called when all gathered data has been written. The socket no longer needs to wait for space. */
    void allWritten();

    /** Ends the stream to the peer. */
    void shutdownOutput() throws IOException;

    /**
     * Returns whether the end of the stream is waiting for space. The socket sends a notification once it has sent the
     * end of the stream.
     */
    default boolean endWaits() {
        return false;
    }

    /** Stops reporting events and closes the descriptor. Idempotent. */
    void close();
}

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
 * connection's sending side, all other methods to the worker. {@link #close} belongs to the worker too, which must also
 * hold the sending side.
 */
interface TcpSocket {
    /**
     * Maximum number of ranges that one write gathers, in addition to the frame's header. Data that wraps around the
     * end of a buffer has two ranges, and there may be gaps between deliveries.
     */
    int VECS_PER_WRITE = 16;

    /** Length of the memory that {@link #established} requires for the list of ranges to write. */
    int SCRATCH_LENGTH = 512;

    /** Starts connecting. Returns true if the connection is already established. */
    boolean connect(InetSocketAddress address) throws IOException;

    /** Registers with the loop of a worker. Must be called on the worker. No events are reported yet. */
    void register(TcpWorker worker) throws IOException;

    /** Sets the {@code readiness} that is notified when the attempt to connect has ended. */
    void connecting(TcpReadiness readiness);

    /** Returns whether the connection is established; throws an exception if connecting has failed. */
    boolean finishConnect() throws IOException;

    /**
     * Called when the connection is established. From then on, this socket reports events to {@code readiness};
     * initially, it reports only that there is data to read.
     *
     * @param scratch memory of {@link #SCRATCH_LENGTH} bytes, used by this socket until it is closed
     * @param address address of the scratch memory
     */
    void established(TcpReadiness readiness, ByteBuffer scratch, long address);

    /** Returns the local address. */
    InetSocketAddress localAddress();

    /** Returns the peer's address, or null if the socket is not connected. */
    InetSocketAddress remoteAddress();

    /**
     * Returns the certificate that the peer has presented and this side has checked, from the first data that it sends
     * on; null if there is none.
     */
    default X509Certificate peerCertificate() {
        return null;
    }

    /**
     * Reads once into a range, which is given as in {@link Vecs}.
     *
     * @return the number of bytes read, 0 if none are available, -1 at the end of the stream
     */
    int read(ByteBuffer window, int offset, int length, long address) throws IOException;

    /**
     * Stops or resumes the reports that there is data to read, which saves events while the data cannot be read. A
     * socket that reports each event only once need not do this.
     */
    default void reportReadable(boolean on) {
        // This socket reports each event only once.
    }

    /** Permanently stops reporting that there is data to read. */
    void stopReading();

    /**
     * Replaces the data to write with a frame's header and these ranges. Each write reads the memory of the ranges
     * again.
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
     * Requests one notification when there is space to write. The notification follows immediately if there is space
     * already.
     */
    void awaitWritable();

    /** Called when all gathered data has been written, so that there is no need to wait for space. */
    void allWritten();

    /** Ends the stream to the peer. */
    void shutdownOutput() throws IOException;

    /** Returns true while the end of the stream waits for space. Its socket then reports that it has been sent. */
    default boolean endWaits() {
        return false;
    }

    /** Stops reporting and closes the descriptor. Idempotent. */
    void close();
}

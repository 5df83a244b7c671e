package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.Vecs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The system calls of one non-blocking stream socket.
 *
 * <p><b>Thread-safety:</b> {@link #gather(long, Vecs)}, {@link #gather(ByteBuffer, int, int, long)}, {@link #write},
 * {@link #awaitWritable}, {@link #allWritten} and {@link #shutdownOutput} belong to the holder of the connection's
 * sending side, everything else to the worker. {@link #close} needs both.
 */
interface TcpSocket {
    /**
     * Ranges that one write gathers, besides the frame's header: a wrap makes two, and there may be gaps between
     * deliveries.
     */
    int VECS_PER_WRITE = 16;

    /** Bytes that {@link #established} asks for, to keep the list of what is to be written. */
    int SCRATCH_LENGTH = 512;

    /** Begins to connect. Returns true when that is done already. */
    boolean connect(InetSocketAddress address) throws IOException;

    /** Joins the loop of this worker, whose thread this must be. Reports nothing yet. */
    void register(TcpWorker worker) throws IOException;

    /** Reports to {@code readiness} when connecting has come to its end. */
    void connecting(TcpReadiness readiness);

    /** Returns true when the connection is established, false while it is not; throws when it cannot be. */
    boolean finishConnect() throws IOException;

    /**
     * The connection is established: reports to {@code readiness} from now on, at first what can be read alone.
     *
     * @param scratch memory of {@link #SCRATCH_LENGTH} bytes, this socket's until it is closed
     * @param address of the scratch memory
     */
    void established(TcpReadiness readiness, ByteBuffer scratch, long address);

    /** Our address. */
    InetSocketAddress localAddress();

    /** The peer's address, null while there is none. */
    InetSocketAddress remoteAddress();

    /**
     * Reads once into a range, which is named as in {@link Vecs}.
     *
     * @return bytes, 0 when there are none now, -1 at the end
     */
    int read(ByteBuffer window, int offset, int length, long address) throws IOException;

    /** Reports no more that something can be read. */
    void stopReading();

    /** Replaces what is to be written: a frame's header and these ranges. Reads them anew for each write. */
    void gather(long header, Vecs vecs);

    /** Replaces what is to be written: one range. */
    void gather(ByteBuffer window, int offset, int length, long address);

    /** Writes once what was gathered, as far as there is space. Returns the bytes; the next call goes on after them. */
    long write() throws IOException;

    /** Reports once that something can be written, as soon as it can: at once if that is so already. */
    void awaitWritable();

    /** All that was gathered is written: there is nothing to wait for. */
    void allWritten();

    /** Tells the peer that nothing more comes. */
    void shutdownOutput() throws IOException;

    /** Ends reporting and closes the descriptor; idempotent. */
    void close();
}

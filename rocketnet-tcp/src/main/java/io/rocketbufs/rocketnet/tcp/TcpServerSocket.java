package io.rocketbufs.rocketnet.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The system calls of one listening socket.
 *
 * <p><b>Thread-safety:</b> belongs to the worker that it is registered with. Before the registration, its creator may
 * call {@link #close}.
 */
interface TcpServerSocket {
    /** Returns the address in use. */
    InetSocketAddress address();

    /**
     * Registers the socket with a worker, which reports to {@code readiness} from then on. Must be called on the
     * worker.
     */
    void register(TcpWorker worker, TcpReadiness readiness) throws IOException;

    /** Accepts one connection. Returns null if none is waiting. */
    TcpSocket accept() throws IOException;

    /** Sets whether waiting connections are reported. */
    void accepting(boolean on);

    /** Stops reporting and closes the descriptor, which frees the port. Idempotent. */
    void close();
}

package io.rocketbufs.rocketnet.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The system calls of one listening socket.
 *
 * <p><b>Thread-safety:</b> belongs to the worker that it is registered with; {@link #close} before that to whoever made
 * it.
 */
interface TcpServerSocket {
    /** The address in use. */
    InetSocketAddress address();

    /** Reports to {@code readiness} on this worker from now on, whose thread this must be. */
    void register(TcpWorker worker, TcpReadiness readiness) throws IOException;

    /** Takes one connection, or returns null when there is none. */
    TcpSocket accept() throws IOException;

    /** Stops or goes on reporting that there is a connection to accept. */
    void accepting(boolean on);

    /** Ends reporting and closes the descriptor, and so frees the port; idempotent. */
    void close();
}

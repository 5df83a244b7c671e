package io.rocketbufs.rocketnet.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The system calls of one listening socket.
 *
 * <p><b>Thread-safety:</b> belongs to the worker with which it is registered. Before registration, the creator may call
 * {@link #close}.
 */
interface TcpServerSocket {
    /** Returns the bound address. */
    InetSocketAddress address();

    /**
     * Registers the socket with a worker, which then reports events to {@code readiness}. Must be called on the worker.
     */
    void register(TcpWorker worker, TcpReadiness readiness) throws IOException;

    /** Accepts one connection. Returns null if no connection is waiting. */
    TcpSocket accept() throws IOException;

    /** Sets whether waiting connections are reported. */
    void accepting(boolean on);

    /** Stops reporting events and closes the descriptor, which frees the port. Idempotent. */
    void close();
}

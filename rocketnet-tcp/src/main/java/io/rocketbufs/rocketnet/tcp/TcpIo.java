package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;

/** An I/O implementation: epoll or NIO, plain or encrypted. */
interface TcpIo {
    /** Returns the factory of the handler that waits for events in a worker's loop. */
    IoHandlerFactory handlerFactory();

    /** Creates an unconnected socket for the address's family. */
    TcpSocket newSocket(InetSocketAddress address) throws IOException;

    /** Creates a socket that is bound to an address and listens. */
    TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException;

    /** Releases what the sockets shared. Called once, when all of them have been closed. */
    default void close() {
        // Sockets without TLS share nothing.
    }
}

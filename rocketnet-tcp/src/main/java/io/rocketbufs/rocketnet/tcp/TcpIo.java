package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.rocketbufs.settings.ReloadedFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;

/** An I/O implementation: epoll or NIO, plain or encrypted. */
interface TcpIo {
    /** Returns the factory of the handler that waits for events in a worker's loop. */
    IoHandlerFactory handlerFactory();

    /** Creates an unconnected socket for the address's family. */
    TcpSocket newSocket(InetSocketAddress address) throws IOException;

    /** Creates a socket that is bound to an address and listens. */
    TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException;

    /** Reads the files again that new sockets need, as {@link io.rocketbufs.rocketnet.Transport#reloadFiles}. */
    default ReloadedFiles reloadFiles() {
        return ReloadedFiles.NONE;
    }

    /** Returns when the first certificate of this side expires; null if it has none. */
    default Instant certificateEnd() {
        return null;
    }

    /** Releases what the sockets shared. Called once, when all of them have been closed. */
    default void close() {
        // Sockets without TLS share nothing.
    }
}

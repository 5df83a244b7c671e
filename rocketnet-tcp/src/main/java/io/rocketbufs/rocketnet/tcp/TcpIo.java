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

    /** Creates a socket that listens on an address. */
    TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException;

    /** Rereads the files that new sockets need; see {@link io.rocketbufs.rocketnet.Transport#reloadFiles}. */
    default ReloadedFiles reloadFiles() {
        return ReloadedFiles.NONE;
    }

    /** Returns the earliest expiry of this side's certificates, or null if this side has no certificate. */
    default Instant certificateEnd() {
        return null;
    }

    /** Releases the resources that the sockets share. Called once, after all sockets have been closed. */
    default void close() {
        // Sockets without TLS share no resources.
    }
}

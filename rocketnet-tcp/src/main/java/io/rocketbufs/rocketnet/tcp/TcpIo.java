package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A way to the kernel: epoll or NIO. */
interface TcpIo {
    /** What waits for events in a worker's loop. */
    IoHandlerFactory handlerFactory();

    /** Makes a socket that can connect to an address of this family. */
    TcpSocket newSocket(InetSocketAddress address) throws IOException;

    /** Binds and listens. */
    TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException;
}

package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** I/O with Linux epoll through Netty's native library, without Netty's channels. */
final class EpollIo implements TcpIo {
    private final TcpSettings settings;

    EpollIo(TcpSettings settings) {
        this.settings = settings;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
        EpollEventTable.complete();
        return EpollIoHandler.newFactory();
    }

    @Override
    public TcpSocket newSocket(InetSocketAddress address) throws IOException {
        return new EpollSocket(newStream(address), settings, null);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        return new EpollServerSocket(listening(address, backlog), settings);
    }

    /** Returns a bound, listening socket. */
    private Socket listening(InetSocketAddress address, int backlog) throws IOException {
        Socket socket = newStream(address);
        try {
            socket.setReuseAddress(true);
            if (settings.receiveBuffer() > 0) {
                socket.setReceiveBufferSize(settings.receiveBuffer());
            }
            socket.bind(address);
            socket.listen(backlog);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Returns an unconnected stream socket for the address's family. */
    private static Socket newStream(InetSocketAddress address) throws IOException {
        try {
            return LinuxSocket.newSocketStream(address.getAddress() instanceof Inet6Address);
        } catch (ChannelException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }
}

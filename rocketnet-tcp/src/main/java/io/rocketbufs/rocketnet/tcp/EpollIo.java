package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Linux' epoll, by Netty's native library, without Netty's channels. */
final class EpollIo implements TcpIo {
    private final TcpSettings settings;

    EpollIo(TcpSettings settings) {
        this.settings = settings;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
        EpollEvents.complete();
        return EpollIoHandler.newFactory();
    }

    @Override
    public TcpSocket newSocket(InetSocketAddress address) throws IOException {
        return new EpollSocket(newStream(address), settings);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        LinuxSocket socket = newStream(address);
        try {
            socket.setReuseAddress(true);
            if (settings.receiveBuffer() > 0) {
                socket.setReceiveBufferSize(settings.receiveBuffer());
            }
            socket.bind(address);
            socket.listen(backlog);
            return new EpollServerSocket(socket, settings);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static LinuxSocket newStream(InetSocketAddress address) throws IOException {
        try {
            return LinuxSocket.newSocketStream(address.getAddress() instanceof Inet6Address);
        } catch (ChannelException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }
}

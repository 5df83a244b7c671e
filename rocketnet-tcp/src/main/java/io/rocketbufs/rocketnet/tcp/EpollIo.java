package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
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
        return new EpollSocket(NativeSockets.newStream(address), settings, null);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        return new EpollServerSocket(NativeSockets.listening(address, backlog, settings), settings);
    }
}

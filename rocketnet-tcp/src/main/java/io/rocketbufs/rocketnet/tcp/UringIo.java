package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.uring.IoUringIoHandler;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Linux' io_uring, by Netty's native library, without Netty's channels. */
final class UringIo implements TcpIo {
    private final TcpSettings settings;

    UringIo(TcpSettings settings) {
        this.settings = settings;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
        return IoUringIoHandler.newFactory();
    }

    @Override
    public TcpSocket newSocket(InetSocketAddress address) throws IOException {
        return new UringSocket(NativeSockets.newStream(address), settings, null);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        return new UringServerSocket(NativeSockets.listening(address, backlog, settings), settings);
    }
}

package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** I/O with the JDK's selectors and channels in Netty's loop, for machines without epoll. */
final class NioIo implements TcpIo {
    private final TcpSettings settings;

    NioIo(TcpSettings settings) {
        this.settings = settings;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
        return NioIoHandler.newFactory();
    }

    @Override
    public TcpSocket newSocket(InetSocketAddress address) throws IOException {
        return NioSocket.of(SocketChannel.open(), settings);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        ServerSocketChannel channel = open(address);
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            if (settings.receiveBuffer() > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, settings.receiveBuffer());
            }
            channel.bind(address, backlog);
            return new NioServerSocket(channel, settings);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Opens a channel for the address's family. With the default family, the JDK would listen on [::] instead of
     * 0.0.0.0.
     */
    private static ServerSocketChannel open(InetSocketAddress address) throws IOException {
        return address.getAddress() instanceof Inet4Address
                ? ServerSocketChannel.open(StandardProtocolFamily.INET)
                : ServerSocketChannel.open();
    }
}

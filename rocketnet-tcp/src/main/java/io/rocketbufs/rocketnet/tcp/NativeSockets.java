package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Makes sockets by Netty's native library. */
final class NativeSockets {
    private NativeSockets() {}

    /** A stream socket that can connect to an address of this family. */
    static Socket newStream(InetSocketAddress address) throws IOException {
        try {
            return LinuxSocket.newSocketStream(address.getAddress() instanceof Inet6Address);
        } catch (ChannelException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }

    /** A socket that is bound and listens. */
    static Socket listening(InetSocketAddress address, int backlog, TcpSettings settings) throws IOException {
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
}

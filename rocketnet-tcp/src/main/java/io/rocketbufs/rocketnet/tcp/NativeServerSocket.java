package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A listening socket by the system calls of Netty's native library: all but how it waits. */
abstract class NativeServerSocket implements TcpServerSocket {
    // The longest form that Netty writes: a length, 16 bytes of address, 4 of scope, 4 of port, with some to spare.
    private static final int NATIVE_ADDRESS_LENGTH = 32;

    final Socket socket;
    private final byte[] peer = new byte[NATIVE_ADDRESS_LENGTH];

    NativeServerSocket(Socket socket) {
        this.socket = socket;
    }

    /** The socket of a connection that was accepted from this peer. */
    abstract NativeSocket accepted(Socket connection, InetSocketAddress peer);

    /** The descriptor to wait for. */
    public final FileDescriptor fd() {
        return socket;
    }

    @Override
    public final InetSocketAddress address() {
        return socket.localAddress();
    }

    @Override
    public final TcpSocket accept() throws IOException {
        int descriptor = socket.accept(peer);
        if (descriptor < 0) {
            return null;
        }
        InetSocketAddress address = NativeInetAddress.address(peer, 1, peer[0]);
        NativeSocket accepted = accepted(new Socket(descriptor), address);
        try {
            accepted.setOptions();
            return accepted;
        } catch (IOException e) {
            accepted.close();
            throw e;
        }
    }
}

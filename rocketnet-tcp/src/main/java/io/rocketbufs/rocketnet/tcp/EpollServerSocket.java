package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * A listening socket in an epoll set. It is level-triggered: connections that have not been accepted are reported
 * again.
 */
final class EpollServerSocket implements TcpServerSocket, EpollIoHandle {
    /**
     * An event mask that a listening socket never reports. {@link EpollIoOps#NONE} cannot be used: Netty would remove
     * the descriptor from the epoll set but still consider it added, and every later submission would fail.
     */
    private static final EpollIoOps PAUSED = EpollIoOps.EPOLLERR;

    // Netty writes at most 25 bytes: 1 for the address length, 16 for the address, 4 for the scope and 4 for the port.
    private static final int NATIVE_ADDRESS_LENGTH = 32;

    private final Socket socket;
    private final TcpSettings settings;
    private final byte[] peer = new byte[NATIVE_ADDRESS_LENGTH];
    private IoRegistration registration;
    private TcpReadiness readiness;

    EpollServerSocket(Socket socket, TcpSettings settings) {
        this.socket = socket;
        this.settings = settings;
    }

    @Override
    public InetSocketAddress address() {
        return socket.localAddress();
    }

    @Override
    public void register(TcpWorker worker, TcpReadiness readiness) throws IOException {
        this.readiness = readiness;
        registration = worker.register(this);
        registration.submit(EpollIoOps.EPOLLIN);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        readiness.readable(false);
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public TcpSocket accept() throws IOException {
        int descriptor = socket.accept(peer);
        if (descriptor < 0) {
            return null;
        }
        InetSocketAddress address = NativeInetAddress.address(peer, 1, peer[0]);
        EpollSocket accepted = new EpollSocket(new Socket(descriptor), settings, address);
        try {
            accepted.setOptions();
            return accepted;
        } catch (IOException e) {
            accepted.close();
            throw e;
        }
    }

    @Override
    public void accepting(boolean on) {
        registration.submit(on ? EpollIoOps.EPOLLIN : PAUSED);
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        TcpFailures.closeQuietly(socket::close);
    }
}

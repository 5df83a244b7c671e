package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A listening socket in an epoll set; level-triggered, so connections left over are reported again. */
final class EpollServerSocket extends NativeServerSocket implements EpollIoHandle {
    private final TcpSettings settings;
    private IoRegistration registration;
    private TcpReadiness readiness;

    EpollServerSocket(Socket socket, TcpSettings settings) {
        super(socket);
        this.settings = settings;
    }

    @Override
    NativeSocket accepted(Socket connection, InetSocketAddress peer) {
        return new EpollSocket(connection, settings, peer);
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
    public void accepting(boolean on) {
        registration.submit(on ? EpollIoOps.EPOLLIN : EpollIoOps.NONE);
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        TcpFailures.closeQuietly(socket::close);
    }

    @Override
    public void close(Runnable closed) {
        close();
        closed.run();
    }
}

package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A listening socket that is polled through a ring, each time for what is left over or comes. */
final class UringServerSocket extends NativeServerSocket implements IoUringIoHandle {
    private static final short POLL = 1;
    private static final short CANCEL = 2;

    private final TcpSettings settings;
    private final IoUringIoOps pollIn;
    private IoRegistration registration;
    private TcpReadiness readiness;
    private boolean accepting;
    private long polling;
    private Runnable closed;

    UringServerSocket(Socket socket, TcpSettings settings) {
        super(socket);
        this.settings = settings;
        pollIn = UringLayout.pollIn(socket.intValue(), POLL);
    }

    @Override
    NativeSocket accepted(Socket connection, InetSocketAddress peer) {
        return new UringSocket(connection, settings, peer);
    }

    @Override
    public void register(TcpWorker worker, TcpReadiness readiness) throws IOException {
        this.readiness = readiness;
        registration = worker.register(this);
        accepting(true);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        if (((IoUringIoEvent) event).userData() != POLL) {
            return;
        }
        polling = 0;
        if (closed != null) {
            closeDescriptor();
        } else if (accepting) {
            readiness.readable(false);
            poll();
        }
    }

    @Override
    public void accepting(boolean on) {
        accepting = on;
        poll();
    }

    private void poll() {
        if (accepting && polling == 0 && closed == null) {
            polling = registration.submit(pollIn);
        }
    }

    @Override
    public void close() {
        close(() -> {});
    }

    @Override
    public void close(Runnable closed) {
        if (this.closed != null) {
            return;
        }
        this.closed = closed;
        if (polling == 0) {
            closeDescriptor();
        } else {
            registration.submit(UringLayout.cancel(polling, CANCEL));
        }
    }

    private void closeDescriptor() {
        if (registration != null) {
            registration.cancel();
        }
        TcpFailures.closeQuietly(socket::close);
        closed.run();
    }
}

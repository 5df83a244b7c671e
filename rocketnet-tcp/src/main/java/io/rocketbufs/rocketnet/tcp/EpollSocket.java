package io.rocketbufs.rocketnet.tcp;

import static io.netty.channel.epoll.EpollIoOps.EPOLLET;
import static io.netty.channel.epoll.EpollIoOps.EPOLLIN;
import static io.netty.channel.epoll.EpollIoOps.EPOLLOUT;
import static io.netty.channel.epoll.EpollIoOps.EPOLLRDHUP;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A stream socket in an epoll set.
 *
 * <p>Edge-triggered: an event comes once, so neither a connection that nobody reads any more nor one whose sending side
 * is held by somebody else keeps the loop busy. Waiting for space to write is switched on after a write that did not
 * succeed entirely, and off by the next that does, both by the holder of the sending side: switched by the worker, it
 * could undo what another thread has just switched on. Switching on asks the kernel for the present state, so no space
 * is missed. It is not on all the time: then every event would tell of both directions, and whatever arrives would look
 * like space to write.
 */
final class EpollSocket extends NativeSocket implements EpollIoHandle {
    private static final EpollIoOps READ = EPOLLIN.with(EPOLLRDHUP).with(EPOLLET);
    private static final EpollIoOps READ_AND_WRITE = READ.with(EPOLLOUT);
    private static final int IN = EPOLLIN.value();
    private static final int OUT = EPOLLOUT.value();

    private IoRegistration registration;
    private TcpReadiness readiness;
    private boolean awaitingWritable;

    EpollSocket(Socket socket, TcpSettings settings, InetSocketAddress peer) {
        super(socket, settings, peer);
    }

    @Override
    public void register(TcpWorker worker) throws IOException {
        registration = worker.register(this);
    }

    @Override
    public void connecting(TcpReadiness readiness) {
        this.readiness = readiness;
        registration.submit(READ_AND_WRITE);
    }

    @Override
    public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
        this.readiness = readiness;
        useScratch(scratch, address);
        registration.submit(READ);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        int ready = ((EpollIoEvent) event).ops().value();
        if ((ready & OUT) != 0) {
            readiness.writable();
        }
        int others = ready & ~OUT;
        if (others != 0) {
            readiness.readable(others != IN);
        }
    }

    @Override
    public boolean lendsMemory() {
        return false;
    }

    @Override
    public int read(ByteBuffer window, int offset, int length, long address) throws IOException {
        return socket.recvAddress(address, 0, length);
    }

    @Override
    public boolean reportEnd() {
        return false;
    }

    @Override
    public void stopReading(Runnable stopped) {
        stopped.run(); // an event comes once
    }

    @Override
    public void awaitWritable() {
        if (!awaitingWritable) {
            awaitingWritable = true;
            registration.submit(READ_AND_WRITE);
        }
    }

    @Override
    public void allWritten() {
        if (awaitingWritable) {
            awaitingWritable = false;
            registration.submit(READ);
        }
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        TcpFailures.closeQuietly(socket::close);
    }
}

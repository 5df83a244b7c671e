package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A listening JDK channel registered with a selector. */
final class NioServerSocket implements TcpServerSocket, NioIoHandle {
    private final ServerSocketChannel channel;
    private final TcpSettings settings;
    private IoRegistration registration;
    private TcpReadiness readiness;

    NioServerSocket(ServerSocketChannel channel, TcpSettings settings) {
        this.channel = channel;
        this.settings = settings;
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.socket().getLocalSocketAddress();
    }

    @Override
    public void register(TcpWorker worker, TcpReadiness readiness) throws IOException {
        this.readiness = readiness;
        registration = worker.register(this);
        registration.submit(NioIoOps.ACCEPT);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        readiness.readable(false);
    }

    @Override
    public SelectableChannel selectableChannel() {
        return channel;
    }

    @Override
    public TcpSocket accept() throws IOException {
        SocketChannel accepted = channel.accept();
        return accepted == null ? null : NioSocket.of(accepted, settings);
    }

    @Override
    public void accepting(boolean on) {
        registration.submit(on ? NioIoOps.ACCEPT : NioIoOps.NONE);
    }

    /** Closes the channel. The JDK keeps the descriptor, and thus the port, until the next selection. */
    @Override
    public void close() {
        if (registration == null) {
            TcpFailures.closeQuietly(channel::close);
        } else if (registration.cancel()) {
            SelectionKey key = registration.attachment();
            TcpFailures.closeQuietly(channel::close);
            TcpFailures.closeQuietly(key.selector()::selectNow);
        }
    }
}

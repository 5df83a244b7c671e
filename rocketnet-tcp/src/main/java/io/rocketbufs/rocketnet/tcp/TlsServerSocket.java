package io.rocketbufs.rocketnet.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.UnaryOperator;

/** A listening socket whose connections are encrypted. */
final class TlsServerSocket implements TcpServerSocket {
    private final TcpServerSocket socket;
    private final UnaryOperator<TcpSocket> secured;

    /** Creates a socket that owns another listening socket and applies {@code secured} to each accepted socket. */
    TlsServerSocket(TcpServerSocket socket, UnaryOperator<TcpSocket> secured) {
        this.socket = socket;
        this.secured = secured;
    }

    @Override
    public InetSocketAddress address() {
        return socket.address();
    }

    @Override
    public void register(TcpWorker worker, TcpReadiness readiness) throws IOException {
        socket.register(worker, readiness);
    }

    @Override
    public TcpSocket accept() throws IOException {
        TcpSocket accepted = socket.accept();
        return accepted == null ? null : secured.apply(accepted);
    }

    @Override
    public void accepting(boolean on) {
        socket.accepting(on);
    }

    @Override
    public void close() {
        socket.close();
    }
}

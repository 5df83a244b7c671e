package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * A connection attempt with a time limit.
 *
 * <p><b>Thread-safety:</b> belongs to the worker. <b>Ownership:</b> owns the socket until the connection is
 * established.
 */
final class TcpConnector implements TcpReadiness, TcpEndpoint {
    private final InetSocketAddress address;
    private final TransportAcceptor acceptor;
    private final CompletableFuture<TransportConnection> result;
    private final TcpSettings settings;
    private final TcpWorker worker;
    private final MemoryPool memory;
    private TcpSocket socket;
    private Future<?> timeout;
    private boolean done;

    TcpConnector(
            InetSocketAddress address,
            TransportAcceptor acceptor,
            CompletableFuture<TransportConnection> result,
            TcpSettings settings,
            TcpWorker worker,
            MemoryPool memory) {
        this.address = address;
        this.acceptor = acceptor;
        this.result = result;
        this.settings = settings;
        this.worker = worker;
        this.memory = memory;
    }

    void connect(TcpIo io) {
        if (!worker.add(this)) {
            abort();
            return;
        }
        try {
            socket = io.newSocket(address);
            boolean connected = socket.connect(address);
            socket.register(worker);
            if (connected) {
                established();
            } else {
                socket.connecting(this);
                timeout = worker.schedule(this::expire, settings.connectTimeoutMs());
            }
        } catch (IOException | RuntimeException e) {
            fail(TcpFailures.connect(address, e));
        }
    }

    @Override
    public void readable(boolean ended) {
        writable();
    }

    @Override
    public void writable() {
        if (done) {
            return;
        }
        try {
            if (socket.finishConnect()) {
                established();
            }
        } catch (IOException | RuntimeException e) {
            fail(TcpFailures.connect(address, e));
        }
    }

    private void established() {
        finish();
        try {
            result.complete(TcpConnection.open(socket, worker, memory, settings.directThreshold(), acceptor));
        } catch (RuntimeException e) {
            result.completeExceptionally(TcpFailures.connect(address, e));
        } catch (Error e) {
            result.completeExceptionally(e);
            throw e;
        }
    }

    private void expire() {
        fail(TcpFailures.connectTimeout(address, settings.connectTimeoutMs()));
    }

    @Override
    public void abort() {
        fail(TcpFailures.closed("connect to", address));
    }

    @Override
    public void close() {
        abort();
    }

    private void fail(TransportException cause) {
        if (done) {
            return;
        }
        finish();
        if (socket != null) {
            socket.close();
        }
        result.completeExceptionally(cause);
    }

    private void finish() {
        done = true;
        if (timeout != null) {
            timeout.cancel(false);
        }
        worker.remove(this);
    }
}

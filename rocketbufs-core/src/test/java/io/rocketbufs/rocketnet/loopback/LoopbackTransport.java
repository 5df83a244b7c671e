package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * One simulated process of a {@link LoopbackNetwork}: its workers and the connections that they run.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class LoopbackTransport implements Transport {
    private final LoopbackNetwork network;
    private final String name;
    private final Capabilities capabilities;
    private final List<LoopbackWorker> workers;
    private final Set<LoopbackConnection> connections = new HashSet<>();
    private int nextWorker;
    private boolean closed;

    LoopbackTransport(LoopbackNetwork network, String name) {
        this.network = network;
        this.name = name;
        capabilities = network.options().capabilities();
        workers = Stream.generate(network::newWorker)
                .limit(network.options().workers())
                .toList();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String detail() {
        return capabilities.receiverPlaces() ? "in process, receiver places" : "in process, one-sided";
    }

    LoopbackNetwork network() {
        return network;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized LoopbackWorker nextWorker() {
        return workers.get(nextWorker++ % workers.size());
    }

    @Override
    public TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor) {
        return network.listen(this, address, acceptor);
    }

    @Override
    public CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor) {
        return network.connect(this, address, acceptor);
    }

    /** Establishes the connection on its worker; returns false if this transport is closed. */
    synchronized boolean start(LoopbackConnection connection, TransportAcceptor acceptor) {
        if (!closed) {
            connections.add(connection);
            connection.worker().execute(() -> connection.establish(acceptor));
        }
        return !closed;
    }

    synchronized void remove(LoopbackConnection connection) {
        connections.remove(connection);
    }

    @Override
    public List<LoopbackWorker> workers() {
        return workers;
    }

    @Override
    public void close() {
        if (inWorker()) {
            network.violation("a worker closed its own transport");
        }
        if (markClosed()) {
            network.removeListenersOf(this);
            for (LoopbackConnection connection : left()) {
                CompletableFuture.runAsync(connection::abort, connection.worker())
                        .join();
            }
            // The handlers may have queued tasks for the end of their connections.
            workers.forEach(
                    worker -> CompletableFuture.runAsync(() -> {}, worker).join());
            workers.forEach(LoopbackWorker::end);
        }
        workers.forEach(LoopbackWorker::join);
    }

    private synchronized boolean markClosed() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    private synchronized List<LoopbackConnection> left() {
        return List.copyOf(connections);
    }
}

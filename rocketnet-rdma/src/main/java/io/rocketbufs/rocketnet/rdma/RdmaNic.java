package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A NIC in use: a libfabric domain with its monitor, workers, completion queues, and open listeners and connections.
 *
 * <p>If completions identify their connection, one completion queue serves as many connections as it has room for;
 * otherwise each connection has its own completion queue.
 *
 * <p><b>Thread-safety:</b> connections are added and removed on the monitor; the rest is immutable. <b>Ownership:</b>
 * owns the domain and all objects opened on it.
 *
 * <p><b>Source:</b> RocketBufs 3.5 (a completion queue for each NIC) and 3.6 (several NICs).
 */
final class RdmaNic {
    private final RdmaDomain domain;
    private final RdmaMonitor monitor;
    private final List<RdmaWorker> workers = new ArrayList<>();
    private final AtomicInteger nextWorker = new AtomicInteger();
    private final ConnectionNumbers numbers = new ConnectionNumbers(Contexts.MAX_CONNECTION);
    private final List<RdmaCompletionQueue> queues = new ArrayList<>();
    private final Set<Child> children = new HashSet<>();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private boolean ending;
    private Function<InetAddress, RdmaSelf> connectingToItself;
    private RdmaSelf self;

    /** A listener or connection that is open on a NIC. */
    interface Child {
        /**
         * Called when the transport is being closed. Starts closing this child, which calls {@link RdmaNic#remove} once
         * it has closed.
         */
        void abort();
    }

    RdmaNic(RdmaDomain domain) {
        this.domain = domain;
        RdmaSettings settings = domain.settings();
        monitor = new RdmaMonitor("rocketnet-rdma-monitor-" + domain.deviceName(), settings.spinNs());
        for (int i = 0; i < settings.numThreads(); i++) {
            workers.add(new RdmaWorker("rocketnet-rdma-worker-" + domain.deviceName() + "-" + i, monitor));
        }
    }

    /**
     * Sets the function with which this NIC connects to one of its own addresses. Must be called before all other
     * methods.
     */
    void connectingToItself(Function<InetAddress, RdmaSelf> opening) {
        connectingToItself = opening;
    }

    /**
     * Returns the NIC's connection to itself. The first call opens the connection, using {@code address}, which must be
     * one of the NIC's addresses. Any thread may call this method.
     */
    synchronized RdmaSelf self(InetAddress address) {
        if (self == null) {
            self = connectingToItself.apply(address);
        }
        return self;
    }

    void start() {
        monitor.add(domain.events());
        monitor.start();
        workers.forEach(RdmaThread::start);
    }

    RdmaDomain domain() {
        return domain;
    }

    RdmaMonitor monitor() {
        return monitor;
    }

    /** Returns the monitor and the workers. */
    List<RdmaThread> threads() {
        List<RdmaThread> all = new ArrayList<>(workers);
        all.add(0, monitor);
        return all;
    }

    RdmaThread nextWorker() {
        return workers.isEmpty() ? monitor : workers.get(Math.floorMod(nextWorker.getAndIncrement(), workers.size()));
    }

    // Called on the monitor.

    /**
     * Assigns a number to a new connection.
     *
     * @throws TransportException with code RESOURCES if the connection limit is reached, or CLOSED if the NIC is closed
     */
    RdmaMember join(CompletionTarget target, CompletionSink worker) {
        if (ending) {
            throw new TransportException(Code.CLOSED, domain.deviceName() + " is closed");
        }
        int max = domain.settings().maxConnections();
        if (numbers.count() >= max) {
            throw new TransportException(
                    Code.RESOURCES,
                    domain.deviceName() + " has reached its connection limit: rocketbufs.rdma.max-connections = "
                            + max);
        }
        return numbers.take(target, worker);
    }

    /** Frees the number of a connection. */
    void leave(RdmaMember member) {
        numbers.giveBack(member);
    }

    /** Returns the completion queue for a new connection. */
    RdmaCompletionQueue queueFor(RdmaMember member) {
        for (RdmaCompletionQueue queue : queues) {
            if (queue.add(member, domain.entriesOfOne())) {
                return queue;
            }
        }
        RdmaCompletionQueue queue = domain.openQueue(numbers);
        queues.add(queue);
        queue.add(member, domain.entriesOfOne());
        monitor.add(queue);
        return queue;
    }

    /** Called when a connection's endpoint has been closed. */
    void release(RdmaCompletionQueue queue, RdmaMember member) {
        queue.remove(member, domain.entriesOfOne());
        if (queue.isEmpty() && !domain.traits().contextWithArrival()) {
            monitor.remove(queue);
            queues.remove(queue);
            queue.close();
        }
    }

    /**
     * Adds an open listener or connection. Returns false if the NIC is being closed, in which case no listener or
     * connection may be opened.
     */
    boolean add(Child child) {
        return !ending && children.add(child);
    }

    /** Removes a listener or connection that has closed. */
    void remove(Child child) {
        children.remove(child);
        // Checked in a task, because the connection's user has not been notified yet.
        monitor.execute(this::endIfEmpty);
    }

    private void endIfEmpty() {
        if (ending && children.isEmpty()) {
            empty.complete(null);
        }
    }

    // Called by the thread that closes the transport.

    /** Closes all open listeners and connections. The returned future completes when all of them have closed. */
    CompletableFuture<Void> beginEnd() {
        if (!monitor.tryExecute(this::abortAll)) {
            empty.complete(null);
        }
        return empty;
    }

    private void abortAll() {
        ending = true;
        List.copyOf(children).forEach(Child::abort);
        endIfEmpty();
    }

    /** Ends the threads. Each result completes when its thread has ended. */
    List<CompletableFuture<Void>> end() {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        workers.forEach(worker -> ends.add(worker.shutDown()));
        ends.add(monitor.shutDown());
        return ends;
    }

    /** Closes the domain. Must be called last, when all threads have ended and all connections are closed. */
    void close() {
        domain.closeMemory();
        queues.forEach(RdmaCompletionQueue::close);
        domain.close();
    }
}

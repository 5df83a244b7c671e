package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A domain in use: its monitor, its workers, its completion queues, and what is open on it.
 *
 * <p>Where completions tell their connection, one completion queue serves all that it has room for; where they do not,
 * each connection has its own.
 *
 * <p><b>Thread-safety:</b> connections come and go on the monitor's thread; the rest is immutable. <b>Ownership:</b> of
 * the domain and of everything that belongs to it.
 *
 * <p><b>Source:</b> RocketBufs 3.5, a completion queue for each NIC; several NICs in 3.6.
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

    /** Something that is open on a NIC. */
    interface Child {
        /** Ends it, since the transport is closed; {@link RdmaNic#remove} follows when that is done. */
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

    /** The monitor, and the workers that it wakes. */
    List<RdmaThread> threads() {
        List<RdmaThread> all = new ArrayList<>(workers);
        all.add(0, monitor);
        return all;
    }

    RdmaThread nextWorker() {
        return workers.isEmpty() ? monitor : workers.get(Math.floorMod(nextWorker.getAndIncrement(), workers.size()));
    }

    // What is open, on the monitor's thread.

    /**
     * Gives a number to a new connection.
     *
     * @throws TransportException RESOURCES when there are as many connections as are allowed, CLOSED at the end
     */
    RdmaMember join(CompletionTarget target, CompletionSink worker) {
        if (ending) {
            throw new TransportException(Code.CLOSED, domain.deviceName() + " is closed");
        }
        int max = domain.settings().maxConnections();
        if (numbers.count() >= max) {
            throw new TransportException(
                    Code.RESOURCES,
                    domain.deviceName() + " has " + max
                            + " connections, which is all that rocketbufs.rdma.max-connections allows");
        }
        return numbers.take(target, worker);
    }

    /** Frees the number. */
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

    /** Called when a connection's endpoint is closed. */
    void release(RdmaCompletionQueue queue, RdmaMember member) {
        queue.remove(member, domain.entriesOfOne());
        if (queue.isEmpty() && !domain.traits().contextWithArrival()) {
            monitor.remove(queue);
            queues.remove(queue);
            queue.close();
        }
    }

    /** Takes note of something that is open now; false at the end, when nothing is opened any more. */
    boolean add(Child child) {
        return !ending && children.add(child);
    }

    /** Takes note that something has closed. */
    void remove(Child child) {
        children.remove(child);
        // Not now: the connection's user is yet to be told.
        monitor.execute(this::endIfEmpty);
    }

    private void endIfEmpty() {
        if (ending && children.isEmpty()) {
            empty.complete(null);
        }
    }

    // The end, on the thread that closes the transport.

    /** Ends everything that is open. The result completes when all has closed. */
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

    /** Ends the threads. */
    List<CompletableFuture<Void>> end() {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        workers.forEach(worker -> ends.add(worker.shutDown()));
        ends.add(monitor.shutDown());
        return ends;
    }

    /** Closes the domain: last of all, when no thread runs any more and all connections are closed. */
    void close() {
        domain.closeMemory();
        queues.forEach(RdmaCompletionQueue::close);
        domain.close();
    }
}

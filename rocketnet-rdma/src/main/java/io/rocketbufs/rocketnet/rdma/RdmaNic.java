package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Completion;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One device as libfabric shows it, a domain, with its queues, its monitor and its workers.
 *
 * <p>Where completions tell their connection, one completion queue serves all that it has room for; where they do not,
 * each connection has its own.
 *
 * <p><b>Thread-safety:</b> connections come and go on the monitor's thread; the rest is immutable. <b>Ownership:</b> of
 * everything that belongs to the domain; the fabric is the transport's.
 *
 * <p><b>Source:</b> RocketBufs 3.5, a completion queue for each NIC; several NICs in 3.6.
 */
final class RdmaNic {
    /** Longer transfers are several writes, so that control messages and heartbeats come between. */
    private static final int LONGEST_WRITE = 1 << 20;

    private static final int MAX_VECS = 16;
    private static final long CONNECTIONS_OF_A_QUEUE = 64;
    /** Soft-RoCE has 32,767. */
    private static final long ENTRIES_OF_A_QUEUE = (1 << 15) - 1;
    /** Operations beside the window: notices, the end, and what the worker posts by itself. */
    private static final int BESIDE_WINDOW = 16;

    private final Ofi ofi;
    private final RdmaFabric fabric;
    private final RdmaSettings settings;
    private final MemoryPool scratchPool;
    private final MemoryPool wordPool;
    private final String deviceName;
    private final boolean mayShutDown;
    private final long domain;
    private final RdmaEventQueue events;
    private final RdmaMemory memory;
    private final RdmaTraits traits;
    private final Capabilities capabilities;
    private final int window;
    private final int receives;
    private final RdmaMonitor monitor;
    private final List<RdmaWorker> handlers = new ArrayList<>();
    private final AtomicInteger nextHandler = new AtomicInteger();
    private final ConnectionNumbers numbers = new ConnectionNumbers(Contexts.MAX_CONNECTION);
    private final Map<RdmaConnection, RdmaHandshake> peers = new HashMap<>();
    private final Set<RdmaListener> listeners = ConcurrentHashMap.newKeySet();
    private final List<RdmaCompletionQueue> queues = new ArrayList<>();
    private boolean ending;
    private final CompletableFuture<Void> empty = new CompletableFuture<>();

    RdmaNic(
            Ofi ofi,
            RdmaFabric fabric,
            OfiInfo info,
            RdmaSettings settings,
            MemoryPool scratchPool,
            MemoryPool wordPool) {
        this.ofi = ofi;
        this.fabric = fabric;
        this.settings = settings;
        this.scratchPool = scratchPool;
        this.wordPool = wordPool;
        deviceName = info.domainName();
        mayShutDown = RdmaProviders.mayShutDown(info.provider());
        domain = ofi.domain(fabric.fid(), info);
        events = new RdmaEventQueue(ofi, fabric);
        memory = new RdmaMemory(ofi, domain, info);
        window = (int) Math.min(settings.window(), info.txSize() - BESIDE_WINDOW);
        receives = (int) Math.min(settings.receives(), info.rxSize());
        try {
            traits = RdmaProbe.probe(ofi, fabric, domain, events, info);
        } catch (RuntimeException e) {
            events.close();
            ofi.close(domain);
            throw e;
        }
        capabilities = capabilities(info);
        monitor = new RdmaMonitor("rocketnet-rdma-monitor-" + info.domainName(), settings.spinNs());
        for (int i = 0; i < settings.numThreads(); i++) {
            handlers.add(new RdmaWorker("rocketnet-rdma-worker-" + info.domainName() + "-" + i, monitor));
        }
    }

    private Capabilities capabilities(OfiInfo info) {
        return new Capabilities(
                Integer.SIZE,
                false,
                true,
                true,
                traits.consumesReceive(),
                (int) Math.min(info.iovLimit(), MAX_VECS),
                (int) (info.maxMsgSize() < 0 ? LONGEST_WRITE : Math.min(info.maxMsgSize(), LONGEST_WRITE)),
                RdmaConnection.LONGEST_CONTROL,
                (int) Math.min(info.injectSize(), settings.injectThreshold()),
                true,
                !RdmaProviders.isHardware(info.provider()),
                false,
                Completion.SENT,
                Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.WRITE_WORD, Operation.SEND));
    }

    void start() {
        monitor.add(events);
        monitor.start();
        handlers.forEach(RdmaThread::start);
    }

    Ofi ofi() {
        return ofi;
    }

    RdmaFabric fabric() {
        return fabric;
    }

    RdmaSettings settings() {
        return settings;
    }

    /** The device's name, as libfabric has it. */
    String deviceName() {
        return deviceName;
    }

    long domain() {
        return domain;
    }

    RdmaEventQueue events() {
        return events;
    }

    RdmaMemory memory() {
        return memory;
    }

    RdmaTraits traits() {
        return traits;
    }

    Capabilities capabilities() {
        return capabilities;
    }

    /** Operations of a connection that may be outstanding: what is configured, as far as the device goes. */
    int window() {
        return window;
    }

    /** Receives that a connection keeps posted: what is configured, as far as the device goes. */
    int receives() {
        return receives;
    }

    RdmaMonitor monitor() {
        return monitor;
    }

    MemoryPool scratchPool() {
        return scratchPool;
    }

    MemoryPool wordPool() {
        return wordPool;
    }

    /** The monitor, and those that it wakes. */
    List<RdmaThread> workers() {
        List<RdmaThread> all = new ArrayList<>(handlers);
        all.add(0, monitor);
        return all;
    }

    RdmaThread nextWorker() {
        return handlers.isEmpty()
                ? monitor
                : handlers.get(Math.floorMod(nextHandler.getAndIncrement(), handlers.size()));
    }

    // Connections, on the monitor's thread.

    /**
     * Gives a number to a new connection.
     *
     * @throws TransportException RESOURCES when there are as many connections as are allowed, CLOSED at the end
     */
    RdmaMember join(CompletionTarget target, CompletionSink worker) {
        if (ending) {
            throw new TransportException(Code.CLOSED, deviceName + " is closed");
        }
        if (numbers.count() >= settings.maxConnections()) {
            throw new TransportException(
                    Code.RESOURCES,
                    deviceName + " has " + settings.maxConnections()
                            + " connections, which is all that rocketbufs.rdma.max-connections allows");
        }
        return numbers.take(target, worker);
    }

    /** Frees the number. */
    void leave(RdmaMember member) {
        numbers.giveBack(member);
    }

    private long entriesOfOne() {
        return window + BESIDE_WINDOW + receives;
    }

    /** The completion queue for a new connection. */
    RdmaCompletionQueue queueFor(RdmaMember member) {
        for (RdmaCompletionQueue queue : queues) {
            if (queue.add(member, entriesOfOne())) {
                return queue;
            }
        }
        RdmaCompletionQueue queue = openQueue();
        queues.add(queue);
        queue.add(member, entriesOfOne());
        monitor.add(queue);
        return queue;
    }

    /**
     * For some connections, or for one. Small enough for every device: trying larger ones until the device takes one
     * would cost descriptors, which the provider verbs does not close when it is refused.
     */
    private RdmaCompletionQueue openQueue() {
        long connections =
                traits.contextWithArrival() ? Math.min(CONNECTIONS_OF_A_QUEUE, settings.maxConnections()) : 1;
        long entries = Math.min(entriesOfOne() * connections, Math.max(entriesOfOne(), ENTRIES_OF_A_QUEUE));
        return new RdmaCompletionQueue(ofi, fabric, domain, entries, numbers, traits.contextWithArrival());
    }

    /** A connection's endpoint is closed. */
    void release(RdmaCompletionQueue queue, RdmaMember member) {
        queue.remove(member, entriesOfOne());
        if (queue.isEmpty() && !traits.contextWithArrival()) {
            monitor.remove(queue);
            queues.remove(queue);
            queue.close();
        }
    }

    /** Opens an endpoint that completes into a queue. */
    long openEndpoint(OfiInfo info, RdmaCompletionQueue queue) {
        long endpoint = ofi.endpoint(domain, info);
        try {
            ofi.bind(endpoint, events.fid(), 0);
            // In two calls, for a queue that selects among arrivals would lose those of operations that do not report.
            ofi.bind(endpoint, queue.fid(), OfiConstants.FI_SEND | OfiConstants.FI_SELECTIVE_COMPLETION);
            ofi.bind(endpoint, queue.fid(), OfiConstants.FI_RECV);
            ofi.enable(endpoint);
        } catch (RuntimeException e) {
            ofi.close(endpoint);
            throw e;
        }
        return endpoint;
    }

    /** Ends an endpoint's connection, and closes it. */
    void closeEndpoint(long endpoint) {
        if (mayShutDown) {
            ofi.shutdown(endpoint);
        }
        ofi.close(endpoint);
    }

    void add(RdmaConnection connection, RdmaHandshake peer) {
        peers.put(connection, peer);
        events.add(connection.endpoint(), peer);
    }

    void forget(RdmaConnection connection) {
        events.remove(connection.endpoint());
        peers.remove(connection);
        // Not now: the connection's user is yet to be told.
        monitor.execute(this::endIfEmpty);
    }

    private void endIfEmpty() {
        if (ending && peers.isEmpty() && listeners.isEmpty()) {
            empty.complete(null);
        }
    }

    /** A connection's data has come before word that it is established: that has to be found first. */
    void announce(RdmaConnection connection) {
        RdmaHandshake peer = peers.get(connection);
        if (peer == null) {
            return;
        }
        boolean any = true;
        while (any && !peer.isAnnounced()) {
            any = events.poll();
        }
        peer.dataCame();
    }

    boolean add(RdmaListener listener) {
        return !ending && listeners.add(listener);
    }

    void remove(RdmaListener listener) {
        listeners.remove(listener);
        monitor.execute(this::endIfEmpty);
    }

    // The end; whoever closes the transport.

    /** Tells all connections that the transport is closed. The result completes when they have closed. */
    CompletableFuture<Void> beginEnd() {
        if (!monitor.tryExecute(this::abortAll)) {
            empty.complete(null);
        }
        return empty;
    }

    private void abortAll() {
        ending = true;
        List.copyOf(listeners).forEach(RdmaListener::closeNow);
        List.copyOf(peers.values()).forEach(RdmaHandshake::abort);
        endIfEmpty();
    }

    /** Ends the threads. */
    List<CompletableFuture<Void>> end() {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        handlers.forEach(handler -> ends.add(handler.shutDown()));
        ends.add(monitor.shutDown());
        return ends;
    }

    /** Last of all, when no thread runs any more and all connections are closed. */
    void close() {
        memory.close();
        queues.forEach(RdmaCompletionQueue::close);
        ofi.close(domain);
        events.close();
    }
}

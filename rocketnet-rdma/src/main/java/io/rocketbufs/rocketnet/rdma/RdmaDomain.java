package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A libfabric domain, which represents one device: its capabilities, event queue and registered memory.
 *
 * <p><b>Thread-safety:</b> immutable, except the event queue, which belongs to the monitor. <b>Ownership:</b> owns the
 * domain, the event queue and the registrations; the fabric and the pools belong to the transport.
 */
final class RdmaDomain {
    /**
     * Maximum length of a write in bytes. Longer transfers are split, so that control messages and heartbeats can be
     * sent between the parts.
     */
    private static final int LONGEST_WRITE = 1 << 20;

    private static final int MAX_VECS = 16;
    private static final int MAX_FETCHES = 64;
    private static final long CONNECTIONS_PER_QUEUE = 64;
    /** Maximum number of entries in a completion queue of Soft-RoCE. */
    private static final long ENTRIES_PER_QUEUE = (1 << 15) - 1;
    /**
     * Number of operations that may be outstanding in addition to the window: notices, the end of the connection, and
     * the operations that the worker posts.
     */
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

    /**
     * Opens a domain and probes it.
     *
     * @param info describes the device
     * @param scratchPool provides the memory from which connections send messages and into which they receive messages
     * @param wordPool provides the words into which peers write
     * @param believed maps the traits found by the probe to the traits to use
     */
    RdmaDomain(
            Ofi ofi,
            RdmaFabric fabric,
            OfiInfo info,
            RdmaSettings settings,
            MemoryPool scratchPool,
            MemoryPool wordPool,
            UnaryOperator<RdmaTraits> believed) {
        this.ofi = ofi;
        this.fabric = fabric;
        this.settings = settings;
        this.scratchPool = scratchPool;
        this.wordPool = wordPool;
        deviceName = info.domainName();
        mayShutDown = RdmaProviders.mayShutDown(info.provider());
        domain = ofi.domain(fabric.fid(), info);
        events = new RdmaEventQueue(ofi, fabric);
        memory = new RdmaMemory(ofi, domain, info, new RdmaKeys());
        window = (int) Math.min(settings.window(), info.txSize() - BESIDE_WINDOW);
        receives = (int) Math.min(settings.receives(), info.rxSize());
        try {
            traits = believed.apply(RdmaProbe.probe(ofi, fabric, domain, events, info));
        } catch (RuntimeException e) {
            events.close();
            ofi.close(domain);
            throw e;
        }
        capabilities = capabilities(info);
    }

    private Capabilities capabilities(OfiInfo info) {
        int longest = (int) (info.maxMsgSize() < 0 ? LONGEST_WRITE : Math.min(info.maxMsgSize(), LONGEST_WRITE));
        boolean hardware = RdmaProviders.isHardware(info.provider());
        return Capabilities.builder()
                .immediateBits(Integer.SIZE)
                .lengthWithArrival(true)
                .connectionWithArrival(true)
                .consumesReceive(traits.consumesReceive())
                .vecsPerWrite((int) Math.min(info.iovLimit(), MAX_VECS))
                .longestWrite(longest)
                .longestControl(RdmaNotice.LONGEST_CONTROL)
                .injectLength((int) Math.min(info.injectSize(), settings.injectThreshold()))
                .ordered(true)
                .remoteCpu(!hardware)
                .orderedPut((int) Math.min(info.orderedWrite(), LONGEST_WRITE))
                .longestRead(traits.reads() ? longest : 0)
                .readWindow(traits.reads() || traits.hasAtomics() ? Math.min(window, MAX_FETCHES) : 0)
                // On a hardware device, the call that closes a registration waits for the device. Software providers
                // check the registration only when a write begins.
                .revokeFences(hardware)
                .coherentAtomics(traits.atomics() == RdmaTraits.Atomics.COHERENT)
                .operations(operations())
                .build();
    }

    private Set<Operation> operations() {
        Set<Operation> operations =
                EnumSet.of(Operation.WRITE_WITH_IMMEDIATE, Operation.WRITE_WORD, Operation.PUT, Operation.SEND);
        if (traits.reads()) {
            operations.add(Operation.READ);
        }
        if (traits.hasAtomics()) {
            operations.add(Operation.FETCH_ADD);
            operations.add(Operation.COMPARE_SWAP);
        }
        return operations;
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

    /** Returns the device's name in libfabric. */
    String deviceName() {
        return deviceName;
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

    /**
     * Returns the maximum number of a connection's outstanding operations: the setting or the device's limit, whichever
     * is lower.
     */
    int window() {
        return window;
    }

    /**
     * Returns the number of receives that a connection keeps posted: the setting or the device's limit, whichever is
     * lower.
     */
    int receives() {
        return receives;
    }

    /** Returns the number of cells that a connection needs for atomic operations. */
    int atomicCells() {
        return traits.hasAtomics() ? capabilities.readWindow() : 0;
    }

    MemoryPool scratchPool() {
        return scratchPool;
    }

    MemoryPool wordPool() {
        return wordPool;
    }

    /**
     * Returns the maximum number of outstanding completions of one connection. A completion frees the window for all
     * earlier operations, but earlier reads and atomic operations might still be outstanding.
     */
    long entriesOfOne() {
        return window + capabilities.readWindow() + BESIDE_WINDOW + receives;
    }

    /**
     * Opens a completion queue for one or more connections, with a length that every device supports. Trying decreasing
     * lengths would leak descriptors, because the verbs provider does not close them when it rejects a length.
     *
     * @param numbers the connections to which completions may belong
     */
    RdmaCompletionQueue openQueue(ConnectionNumbers numbers) {
        boolean shared = traits.contextWithArrival();
        long connections = shared ? Math.min(CONNECTIONS_PER_QUEUE, settings.maxConnections()) : 1;
        long entries = Math.min(entriesOfOne() * connections, Math.max(entriesOfOne(), ENTRIES_PER_QUEUE));
        return new RdmaCompletionQueue(ofi, fabric, domain, entries, numbers, shared);
    }

    /** Opens an endpoint that reports its completions to a queue. */
    long openEndpoint(OfiInfo info, RdmaCompletionQueue queue) {
        long endpoint = ofi.endpoint(domain, info);
        try {
            ofi.bind(endpoint, events.fid(), 0);
            // Sends and arrivals are bound with separate calls. If selective completion also applied to arrivals,
            // arrivals of operations that do not report their completion would be lost.
            ofi.bind(endpoint, queue.fid(), OfiConstants.FI_SEND | OfiConstants.FI_SELECTIVE_COMPLETION);
            ofi.bind(endpoint, queue.fid(), OfiConstants.FI_RECV);
            ofi.enable(endpoint);
        } catch (RuntimeException e) {
            ofi.close(endpoint);
            throw e;
        }
        return endpoint;
    }

    /** Ends an endpoint's connection and closes the endpoint. */
    void closeEndpoint(long endpoint) {
        if (mayShutDown) {
            ofi.shutdown(endpoint);
        }
        ofi.close(endpoint);
    }

    /** Closes all registrations. Must be called after all endpoints have been closed. */
    void closeMemory() {
        memory.close();
    }

    /** Closes the domain. Must be called after all objects opened on the domain have been closed. */
    void close() {
        ofi.close(domain);
        events.close();
    }
}

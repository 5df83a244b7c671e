package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocketNet over one libfabric provider. It opens the first NIC that the provider reports. It opens each other NIC when
 * an address of that NIC is first used.
 *
 * <p><b>Thread-safety:</b> see {@link Transport}. <b>Ownership:</b> owns the fabrics, the NICs and the private memory.
 *
 * <p><b>Source:</b> RocketBufs 3.5 and 3.6.
 */
final class RdmaTransport implements Transport {
    /** The transport's name in the configuration. */
    static final String NAME = "rdma";

    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaTransport.class);

    private static final long PRIVATE_SLAB_LENGTH = 4 << 20;
    private static final long CLOSE_TIMEOUT_MS = 2_000;
    private static final long PAGE = 4096;
    /** Maximum number of threads that look up names. One slow lookup must not delay all other connections. */
    private static final int MAX_RESOLVERS = 4;

    private static final long RESOLVER_IDLE_S = 10;

    private final Ofi ofi;
    private final RdmaSettings settings;
    private final String provider;
    private final UnaryOperator<RdmaTraits> believed;
    private final MemoryPool scratchPool = new MemoryPool(PRIVATE_SLAB_LENGTH);
    private final MemoryPool wordPool = new MemoryPool(PRIVATE_SLAB_LENGTH);
    private final Map<String, RdmaFabric> fabrics = new HashMap<>();
    private final Map<String, RdmaNic> nics = new HashMap<>();
    /** The threads of all NICs, for callers that must not wait for the lock while a NIC is being opened. */
    private volatile List<RdmaThread> threads = List.of();

    private final ExecutorService resolvers = resolvers();
    private final RdmaNic first;
    private final InetAddress localAddress;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean closed;

    /**
     * Opens a provider and the first NIC that it reports.
     *
     * @throws TransportException with code UNAVAILABLE if the provider cannot be used
     */
    RdmaTransport(Ofi ofi, RdmaSettings settings, String provider) {
        this(ofi, settings, provider, UnaryOperator.identity());
    }

    /** Opens a provider. {@code believed} maps the traits found by the probe to the traits to use. */
    RdmaTransport(Ofi ofi, RdmaSettings settings, String provider, UnaryOperator<RdmaTraits> believed) {
        this.believed = believed;
        this.ofi = ofi;
        this.settings = settings;
        this.provider = provider;
        InetSocketAddress address =
                RdmaProviders.isHardware(provider) ? null : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            OfiInfo info = RdmaProviders.find(ofi, provider, address, OfiConstants.FI_SOURCE);
            try {
                first = nic(info);
                localAddress = address == null ? addressOf(info) : address.getAddress();
            } finally {
                ofi.freeinfo(info);
            }
        } catch (OfiException e) {
            close();
            throw new TransportException(
                    TransportException.Code.UNAVAILABLE,
                    "provider " + provider + ": "
                            + (RdmaProviders.isHardware(provider) ? "no usable RDMA device: " : "")
                            + e.getMessage(),
                    e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static ExecutorService resolvers() {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor resolvers = new ThreadPoolExecutor(
                MAX_RESOLVERS,
                MAX_RESOLVERS,
                RESOLVER_IDLE_S,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> resolver(work, count.getAndIncrement()));
        resolvers.allowCoreThreadTimeOut(true);
        return resolvers;
    }

    private static Thread resolver(Runnable work, int number) {
        Thread thread = new Thread(work, "rocketnet-rdma-resolver-" + number);
        thread.setDaemon(true);
        return thread;
    }

    /** Returns the address of the device. The device cannot be reached through the loopback address. */
    private static InetAddress addressOf(OfiInfo info) {
        byte[] source = info.sourceAddress();
        return source.length == 0
                ? InetAddress.getLoopbackAddress()
                : RdmaAddress.of(source).getAddress();
    }

    /** Returns the NIC named in {@code info}. Opens the NIC on the first call. */
    synchronized RdmaNic nic(OfiInfo info) {
        if (closed) {
            throw RdmaFailures.unavailable("the transport is closed");
        }
        String key = info.fabricName() + "/" + info.domainName();
        RdmaNic nic = nics.get(key);
        if (nic == null) {
            RdmaFabric fabric = fabrics.get(info.fabricName());
            if (fabric == null) {
                fabric = RdmaFabric.open(ofi, info);
                fabrics.put(fabric.name(), fabric);
            }
            nic = new RdmaNic(new RdmaDomain(ofi, fabric, info, settings, scratchPool, wordPool, believed));
            nic.connectingToItself(address -> RdmaSelf.open(this, address));
            nics.put(key, nic);
            threads = nics.values().stream()
                    .flatMap(each -> each.threads().stream())
                    .toList();
            nic.start();
        }
        return nic;
    }

    private synchronized List<RdmaNic> nics() {
        return new ArrayList<>(nics.values());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return first.domain().capabilities();
    }

    @Override
    public String detail() {
        return "provider " + provider + ", device " + first.domain().deviceName() + ", " + libraryVersion();
    }

    /** Returns the device name of the first NIC that the provider reports. */
    String deviceName() {
        return first.domain().deviceName();
    }

    String libraryVersion() {
        return "libfabric " + ofi.versionText();
    }

    @Override
    public InetAddress localAddress() {
        return localAddress;
    }

    @Override
    public TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor) {
        if (address.isUnresolved()) {
            throw RdmaFailures.unknownHost("cannot listen on", address);
        }
        if (isClosed()) {
            throw RdmaFailures.closed("cannot listen on", address);
        }
        OfiInfo info = null;
        try {
            info = RdmaProviders.find(ofi, provider, address, OfiConstants.FI_SOURCE);
            checkDevice(info, address);
            RdmaNic nic = nic(info);
            RdmaListener listener = new RdmaListener(nic, info, request -> nicFor(request, nic), acceptor);
            info = null;
            nic.monitor().execute(listener::begin);
            return listener;
        } catch (OfiException e) {
            throw RdmaFailures.listen(address, e);
        } finally {
            free(info);
        }
    }

    /**
     * Returns the NIC that accepts a request. A hardware device accepts the requests that arrive through it. With a
     * software provider, the listening NIC accepts all requests, because these providers do not always report how a
     * request arrived.
     */
    private RdmaNic nicFor(OfiInfo request, RdmaNic listening) {
        return RdmaProviders.isHardware(provider) ? nic(request) : listening;
    }

    /** Rejects a device whose address differs from the requested one, because it would listen on another address. */
    private void checkDevice(OfiInfo info, InetSocketAddress wanted) {
        byte[] source = info.sourceAddress();
        if (source.length == 0 || wanted.getAddress().isAnyLocalAddress()) {
            return;
        }
        InetAddress offered = RdmaAddress.of(source).getAddress();
        if (!offered.equals(wanted.getAddress())) {
            throw RdmaFailures.noDevice(wanted, provider, info.domainName(), offered);
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Connects on another thread, because looking up a name or a route and opening a NIC may take a long time. */
    @Override
    public CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor) {
        CompletableFuture<TransportConnection> result = new CompletableFuture<>();
        try {
            resolvers.execute(() -> resolve(address, acceptor, result));
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(RdmaFailures.closed("connect to", address));
        }
        return result;
    }

    private void resolve(
            InetSocketAddress address, TransportAcceptor acceptor, CompletableFuture<TransportConnection> result) {
        if (isClosed()) {
            result.completeExceptionally(RdmaFailures.closed("connect to", address));
            return;
        }
        InetSocketAddress resolved =
                address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
        if (resolved.isUnresolved()) {
            result.completeExceptionally(RdmaFailures.unknownHost("connect to", address));
            return;
        }
        OfiInfo info = null;
        try {
            info = RdmaProviders.find(ofi, provider, resolved, 0);
            OfiInfo target = info;
            RdmaNic nic = nic(info);
            if (nic.monitor().tryExecute(() -> connect(nic, target, resolved, acceptor, result))) {
                info = null;
            } else {
                result.completeExceptionally(RdmaFailures.closed("connect to", resolved));
            }
        } catch (OfiException e) {
            result.completeExceptionally(RdmaFailures.connect(resolved, e));
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        } finally {
            free(info);
        }
    }

    private void free(OfiInfo info) {
        if (info != null) {
            ofi.freeinfo(info);
        }
    }

    /** Called on the monitor. */
    private void connect(
            RdmaNic nic,
            OfiInfo info,
            InetSocketAddress address,
            TransportAcceptor acceptor,
            CompletableFuture<TransportConnection> result) {
        try {
            RdmaHandshake.connect(nic, info, address, acceptor, result);
        } finally {
            ofi.freeinfo(info);
        }
    }

    /** Registers one page of the region with the first NIC, to check whether the device accepts it. */
    @Override
    public String refusal(Region region, Set<Right> rights) {
        String refusal = Transport.super.refusal(region, rights);
        if (refusal != null) {
            return refusal;
        }
        try {
            long length = Math.min(region.length(), PAGE);
            first.domain().memory().grant(region, 0, length, rights).close();
            return null;
        } catch (TransportException e) {
            return e.getMessage();
        }
    }

    @Override
    public List<RdmaThread> workers() {
        return threads;
    }

    /**
     * Notifies all connections that the transport is being closed, gives their users a limited time to close them, and
     * waits for the workers to end. If a connection is then still open or a worker is still running, none of the
     * transport's resources are released.
     *
     * @throws IllegalStateException if called on a worker, which cannot wait for its own end
     */
    @Override
    public void close() {
        if (inWorker()) {
            throw new IllegalStateException("close() waits for the workers, so none of them may call it");
        }
        if (beginClose()) {
            resolvers.shutdown();
            try {
                end(nics());
            } finally {
                ended.complete(null);
            }
        }
        ended.join();
    }

    private void end(List<RdmaNic> all) {
        boolean empty = awaitAll(all.stream().map(RdmaNic::beginEnd).toList());
        boolean idle = awaitAll(all.stream().flatMap(nic -> nic.end().stream()).toList());
        if (!empty || !idle) {
            // A thread may still access the resources. Closing them would crash the process.
            LOGGER.warn(
                    "{} after {} ms: their resources stay open",
                    empty ? "workers are still running" : "connections are still open",
                    CLOSE_TIMEOUT_MS);
            return;
        }
        all.forEach(RdmaNic::close);
        fabrics.values().forEach(fabric -> ofi.close(fabric.fid()));
        scratchPool.close();
        wordPool.close();
    }

    private synchronized boolean beginClose() {
        boolean begins = !closed;
        closed = true;
        return begins;
    }

    private static boolean awaitAll(List<CompletableFuture<Void>> futures) {
        try {
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                    .get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.CLibrary;
import io.rocketbufs.memory.MemoryException;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.HostLookup;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocketNet through shared memory. A port selects a Unix socket in the configured directory. Accepted and initiated
 * connections are assigned to the workers in round-robin order.
 *
 * <p><b>Thread-safety:</b> see {@link Transport}. <b>Ownership:</b> owns the workers.
 */
final class ShmTransport implements Transport {
    /** The transport's name in the configuration. */
    static final String NAME = "shm";

    private static final Logger LOGGER = LoggerFactory.getLogger(ShmTransport.class);

    private static final int FIRST_FREE_PORT = 32768;
    private static final int LAST_FREE_PORT = 60999;
    private static final long CLOSE_TIMEOUT_MS = 2_000;

    private final ShmSettings settings;
    private final ShmDirectory directory;
    private final ShmPeers peers;
    private final List<ShmWorker> workers = new ArrayList<>();
    private final AtomicInteger nextWorker = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private ShmTransport(ShmSettings settings, ShmDirectory directory, ShmPeers peers) {
        this.settings = settings;
        this.directory = directory;
        this.peers = peers;
    }

    /**
     * Opens the transport.
     *
     * @throws io.rocketbufs.rocketnet.TransportException with code UNAVAILABLE if this system lacks a feature that the
     *     transport needs
     */
    static ShmTransport open(ShmSettings settings) {
        ShmTransport transport;
        try {
            transport = prepare(settings);
        } catch (LinkageError | MemoryException e) {
            throw ShmFailures.unavailable("the C library cannot be called: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw ShmFailures.unavailable("rocketbufs.shm.group: " + e.getMessage(), e);
        }
        try {
            for (int i = 0; i < settings.numThreads(); i++) {
                transport.workers.add(new ShmWorker(i, settings.spinNs()));
            }
            return transport;
        } catch (ShmException e) {
            transport.close();
            throw ShmFailures.unavailable("cannot start a worker: " + ShmFailures.text(e), e);
        } catch (RuntimeException | Error e) {
            transport.close();
            throw e;
        }
    }

    private static ShmTransport prepare(ShmSettings settings) {
        if (!CLibrary.isSupported()) {
            throw ShmFailures.unavailable("shared memory is supported only on Linux on x86-64 and aarch64", null);
        }
        try {
            ShmSocket.closeDescriptor(ShmMemory.create(ShmLayout.SHORTEST_CHANNEL));
        } catch (IOException e) {
            throw ShmFailures.unavailable("shared memory cannot be created: " + ShmFailures.text(e), e);
        }
        ShmPeers peers = new ShmPeers(settings.groupName());
        return new ShmTransport(settings, directory(settings, peers), peers);
    }

    /**
     * Returns the configured directory, which need not exist.
     *
     * @throws IllegalArgumentException if the configured group does not exist
     */
    static ShmDirectory directory(ShmSettings settings) {
        return directory(settings, new ShmPeers(settings.groupName()));
    }

    private static ShmDirectory directory(ShmSettings settings, ShmPeers peers) {
        Path path = settings.directoryName().isEmpty()
                ? ShmDirectory.ofUser(System.getenv("XDG_RUNTIME_DIR"))
                : Path.of(settings.directoryName()).toAbsolutePath();
        return new ShmDirectory(path, peers);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return ShmConnection.CAPABILITIES;
    }

    @Override
    public String detail() {
        String spinning = settings.spinNs() > 0 ? ", spins " + settings.spinNs() / 1_000 + " us" : "";
        return "sockets in " + directory.path() + spinning;
    }

    @Override
    public TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor) {
        if (address.isUnresolved()) {
            throw ShmFailures.unknownHost("cannot listen on", address);
        }
        if (closed.get()) {
            throw ShmFailures.closed("cannot listen on", address);
        }
        if (!isLocal(address.getAddress())) {
            throw ShmFailures.notLocal("cannot listen on", address);
        }
        ShmServerSocket socket;
        try {
            directory.prepare();
            socket = address.getPort() == 0
                    ? openAnyPort()
                    : ShmServerSocket.open(directory, address.getPort(), settings.backlog());
        } catch (IOException e) {
            throw ShmFailures.listen(address, directory.path(), e);
        }
        if (socket == null) {
            throw ShmFailures.inUse(address, directory.socket(address.getPort()));
        }
        InetSocketAddress bound = new InetSocketAddress(address.getAddress(), socket.port());
        ShmListener listener = new ShmListener(
                socket, nextWorker(), bound, directory, (accepted, number) -> give(accepted, number, bound, acceptor));
        listener.start();
        return listener;
    }

    /**
     * Listens on an unused port. Tries the ports in sequence, starting with a random one. Returns null if all ports are
     * in use.
     */
    private ShmServerSocket openAnyPort() throws IOException {
        int count = LAST_FREE_PORT - FIRST_FREE_PORT + 1;
        int first = ThreadLocalRandom.current().nextInt(count);
        for (int i = 0; i < count; i++) {
            int port = FIRST_FREE_PORT + (first + i) % count;
            ShmServerSocket socket = ShmServerSocket.open(directory, port, settings.backlog());
            if (socket != null) {
                return socket;
            }
        }
        return null;
    }

    private static boolean isLocal(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** Passes an accepted socket to the next worker in round-robin order. */
    private void give(ShmSocket accepted, int number, InetSocketAddress local, TransportAcceptor acceptor) {
        ShmWorker worker = nextWorker();
        ShmAcceptance acceptance = new ShmAcceptance(settings, peers, worker, acceptor, local, number);
        if (!worker.tryExecute(() -> acceptance.begin(accepted))) {
            accepted.close();
        }
    }

    @Override
    public CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor) {
        CompletableFuture<TransportConnection> result = new CompletableFuture<>();
        HostLookup.resolve(
                address,
                "rocketnet-shm-resolver",
                resolved -> connect(resolved, acceptor, result),
                () -> result.completeExceptionally(ShmFailures.unknownHost("connect to", address)));
        return result;
    }

    private void connect(
            InetSocketAddress address, TransportAcceptor acceptor, CompletableFuture<TransportConnection> result) {
        if (!isLocal(address.getAddress())) {
            result.completeExceptionally(ShmFailures.notLocal("connect to", address));
            return;
        }
        ShmWorker worker = nextWorker();
        Path socket = directory.socket(address.getPort());
        ShmConnector connector = new ShmConnector(settings, peers, worker, acceptor, address, socket, result);
        if (!worker.tryExecute(connector::connect)) {
            result.completeExceptionally(ShmFailures.closed("connect to", address));
        }
    }

    private ShmWorker nextWorker() {
        return workers.get(Math.floorMod(nextWorker.getAndIncrement(), workers.size()));
    }

    @Override
    public List<ShmWorker> workers() {
        return workers;
    }

    /**
     * Notifies all connections that the transport is being closed, and gives their users a limited time to close them.
     * Then closes the remaining connections and waits for the workers to end. A worker that has not ended after 2 s
     * keeps running, and its descriptors stay open.
     *
     * @throws IllegalStateException if called on a worker, which cannot wait for its own end
     */
    @Override
    public void close() {
        if (inWorker()) {
            throw new IllegalStateException("close() waits for the workers, so none of them may call it");
        }
        if (closed.compareAndSet(false, true)) {
            await("connections are still open", all(ShmWorker::beginEnd));
            await("workers are still running", all(ShmWorker::closeAll));
            ended.complete(null);
        }
        ended.join();
    }

    /** Sends a request to all workers. The returned future completes when all workers have answered. */
    private CompletableFuture<Void> all(Function<ShmWorker, CompletableFuture<Void>> request) {
        return CompletableFuture.allOf(workers.stream().map(request).toArray(CompletableFuture[]::new));
    }

    private static void await(String otherwise, CompletableFuture<Void> end) {
        try {
            end.get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOGGER.warn("{} after {} ms; closing anyway", otherwise, CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

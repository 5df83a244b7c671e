package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.epoll.Epoll;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.HostLookup;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.settings.ReloadedFiles;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocketNet over TCP. Accepted and initiated connections are assigned to the workers in round-robin order.
 *
 * <p><b>Thread-safety:</b> see {@link Transport}. <b>Ownership:</b> owns the workers and the transport's private
 * memory.
 *
 * <p><b>Source:</b> RocketBufs 3.5; {@code tcp_num_threads} and {@code tcp_thread_pinning} of 3.6.
 */
final class TcpTransport implements Transport {
    /** The transport's name in the configuration. */
    static final String NAME = "tcp";

    private static final Logger LOGGER = LoggerFactory.getLogger(TcpTransport.class);

    private static final long PRIVATE_SLAB_LENGTH = 16 << 20;
    private static final long CLOSE_TIMEOUT_MS = 2_000;

    private final String name;
    private final TcpSettings settings;
    private final TcpIo io;
    private final String detail;
    private final MemoryPool memory = new MemoryPool(PRIVATE_SLAB_LENGTH);
    private final List<TcpWorker> workers = new ArrayList<>();
    private final AtomicInteger nextWorker = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    TcpTransport(String name, TcpSettings settings, TcpIo io, String detail) {
        this.name = name;
        this.settings = settings;
        this.io = io;
        openWorkers();
        String spinning = settings.spinNs() > 0 ? ", spins " + settings.spinNs() / 1_000 + " us" : "";
        this.detail = detail + spinning + (settings.threadPinning() ? ", " + pinWorkers() : "");
    }

    /**
     * Opens the transport.
     *
     * @throws TransportException with code UNAVAILABLE if the settings require an implementation that is not available
     */
    static TcpTransport open(TcpSettings settings) {
        return open(NAME, settings, UnaryOperator.identity());
    }

    /** Opens a transport with another name and a layer above the I/O implementation. */
    static TcpTransport open(String name, TcpSettings settings, UnaryOperator<TcpIo> layer) {
        return open(name, settings, layer, missing(Epoll.unavailabilityCause()));
    }

    /** Opens the transport; {@code noEpoll} is the reason why epoll is not available, or null if it is available. */
    static TcpTransport open(TcpSettings settings, String noEpoll) {
        return open(NAME, settings, UnaryOperator.identity(), noEpoll);
    }

    private static TcpTransport open(String name, TcpSettings settings, UnaryOperator<TcpIo> layer, String noEpoll) {
        if (settings.io() == TcpSettings.Io.EPOLL) {
            requireEpoll(noEpoll);
        }
        if (settings.io() == TcpSettings.Io.NIO || noEpoll != null) {
            String reason = settings.io() == TcpSettings.Io.NIO ? "" : " (no epoll: " + noEpoll + ")";
            return new TcpTransport(name, settings, layer.apply(new NioIo(settings)), "nio" + reason);
        }
        return new TcpTransport(name, settings, layer.apply(new EpollIo(settings)), "epoll");
    }

    private static void requireEpoll(String missing) {
        if (missing != null) {
            throw new TransportException(
                    Code.UNAVAILABLE, "rocketbufs.tcp.io = epoll, but epoll is not available: " + missing);
        }
    }

    /** Returns the reason why an implementation is unavailable, or null if it is available. */
    private static String missing(Throwable unavailabilityCause) {
        return unavailabilityCause == null ? null : innermost(unavailabilityCause);
    }

    /** Returns the text of the root cause on one line. */
    private static String innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return Reason.of(cause).lines().findFirst().orElseThrow();
    }

    private void openWorkers() {
        try {
            for (int i = 0; i < settings.numThreads(); i++) {
                workers.add(new TcpWorker(i, io.handlerFactory(), memory, settings.stageLength(), settings.spinNs()));
            }
        } catch (RuntimeException e) {
            close();
            throw new TransportException(
                    Code.UNAVAILABLE,
                    "rocketbufs.tcp.num-threads = " + settings.numThreads() + ", but worker " + workers.size()
                            + " cannot wait for events: " + innermost(e),
                    e);
        } catch (Error e) {
            close();
            throw e;
        }
    }

    /**
     * Pins the workers to cores. A failure only reduces performance, so it is logged and included in the returned text
     * instead of being thrown.
     */
    private String pinWorkers() {
        try {
            List<Integer> cores = ThreadPinning.cores();
            for (int i = 0; i < workers.size(); i++) {
                int threadId = onWorker(workers.get(i), ThreadPinning::threadId);
                Optional<String> refusal = ThreadPinning.pin(threadId, cores.get(i % cores.size()));
                if (refusal.isPresent()) {
                    return notPinned(refusal.get());
                }
            }
            return "pinned";
        } catch (IOException | ExecutionException e) {
            return notPinned(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notPinned("interrupted");
        }
    }

    private static String notPinned(String cause) {
        LOGGER.warn("Workers are not pinned to cores: {}", cause);
        return "not pinned (" + cause + ")";
    }

    private static <T> T onWorker(TcpWorker worker, Callable<T> task) throws InterruptedException, ExecutionException {
        FutureTask<T> future = new FutureTask<>(task);
        worker.execute(future);
        return future.get();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Capabilities capabilities() {
        return TcpConnection.CAPABILITIES;
    }

    @Override
    public String detail() {
        return detail;
    }

    @Override
    public TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor) {
        if (address.isUnresolved()) {
            throw TcpFailures.unknownHost("cannot listen on", address);
        }
        if (closed.get()) {
            throw TcpFailures.closed("cannot listen on", address);
        }
        TcpWorker worker = nextWorker();
        TcpListener listener;
        try {
            listener =
                    new TcpListener(io.listen(address, settings.backlog()), worker, socket -> give(socket, acceptor));
        } catch (IOException e) {
            throw TcpFailures.listen(address, e);
        }
        worker.execute(listener::begin);
        return listener;
    }

    /** Passes an accepted socket to the next worker in round-robin order. */
    private void give(TcpSocket socket, TransportAcceptor acceptor) {
        TcpWorker worker = nextWorker();
        if (!worker.tryExecute(() -> accept(socket, worker, acceptor))) {
            socket.close();
        }
    }

    private void accept(TcpSocket socket, TcpWorker worker, TransportAcceptor acceptor) {
        try {
            socket.register(worker);
            TcpConnection.open(socket, worker, memory, settings.directThreshold(), acceptor);
        } catch (IOException | RuntimeException e) {
            socket.close();
            if (!closed.get()) {
                LOGGER.warn("An accepted connection was closed after a failure", e);
            }
        }
    }

    @Override
    public CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor) {
        CompletableFuture<TransportConnection> result = new CompletableFuture<>();
        HostLookup.resolve(
                address,
                "rocketnet-tcp-resolver",
                resolved -> connect(resolved, acceptor, result),
                () -> result.completeExceptionally(TcpFailures.unknownHost("connect to", address)));
        return result;
    }

    private void connect(
            InetSocketAddress address, TransportAcceptor acceptor, CompletableFuture<TransportConnection> result) {
        TcpWorker worker = nextWorker();
        TcpConnector connector = new TcpConnector(address, acceptor, result, settings, worker, memory);
        if (!worker.tryExecute(() -> connector.connect(io))) {
            result.completeExceptionally(TcpFailures.closed("connect to", address));
        }
    }

    private TcpWorker nextWorker() {
        return workers.get(Math.floorMod(nextWorker.getAndIncrement(), workers.size()));
    }

    @Override
    public List<TcpWorker> workers() {
        return workers;
    }

    @Override
    public ReloadedFiles reloadFiles() {
        return io.reloadFiles();
    }

    @Override
    public Instant certificateEnd() {
        return io.certificateEnd();
    }

    /**
     * Notifies all connections that the transport is being closed, and gives their users a limited time to close them.
     * Then closes the remaining connections and waits for the workers to end. A worker that has not ended after 2 s
     * keeps running, and the memory is not released.
     *
     * @throws IllegalStateException if called on a worker, which cannot wait for its own end
     */
    @Override
    public void close() {
        if (inWorker()) {
            throw new IllegalStateException("close() waits for the workers, so none of them may call it");
        }
        if (closed.compareAndSet(false, true)) {
            await("connections are still open", all(TcpWorker::beginEnd));
            // A hung worker may access the memory when it resumes, so the memory is kept until the last worker has
            // ended.
            await("workers are still running", all(TcpWorker::end).thenRun(this::release));
            ended.complete(null);
        }
        ended.join();
    }

    private void release() {
        memory.close();
        io.close();
    }

    /** Sends a request to all workers. The returned future completes when all workers have answered. */
    private CompletableFuture<Void> all(Function<TcpWorker, CompletableFuture<Void>> request) {
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

package io.rocketbufs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.metrics.OutputState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportChoice;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.session.NeededCapabilities;
import io.rocketbufs.session.Session;
import io.rocketbufs.settings.ReloadedFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An instance of the framework. It manages memory and transports, and opens each transport on first use. ROuts,
 * listeners and connections are created from it.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns memory and worker threads; close it after closing
 * everything that was created from it.
 */
public final class RocketBufs implements AutoCloseable {
    private final RocketBufsSettings settings;
    private final Config config;
    private final AutomaticTransports automatic;
    private final MemoryPool memory;
    private final UngreetedConnections ungreeted;
    private final Map<String, Transport> transports = new TreeMap<>();
    private final Set<TransportListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger outputCount = new AtomicInteger();
    private final Set<ROut> outputs = ConcurrentHashMap.newKeySet();
    private final MetricsSource metrics = new Metrics();
    /** Held by the thread that reloads files, from when it reads them until it closes the result. */
    private final ReentrantLock reloading = new ReentrantLock();
    /** The open transports, for threads that must not wait for the lock while a transport is being opened. */
    private volatile Transport[] open = {};

    private boolean closed;

    private RocketBufs(Config config) {
        this.config = config;
        this.automatic = new AutomaticTransports(config);
        this.settings = RocketBufsSettings.from(config);
        this.memory = new MemoryPool(settings.slabLength());
        this.ungreeted = new UngreetedConnections(settings.ungreetedConnections());
    }

    /**
     * Opens the framework with the configuration in application.conf and in system properties, which override the
     * modules' reference.conf.
     */
    public static RocketBufs open() {
        return open(ConfigFactory.load());
    }

    /**
     * Opens the framework with a resolved configuration that includes the modules' reference.conf.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the invalid value
     */
    public static RocketBufs open(Config config) {
        return new RocketBufs(config);
    }

    /**
     * Opens the framework with the given transports in addition to the installed ones. {@link #close()} closes the
     * given transports, too.
     *
     * @throws TransportException with code UNAVAILABLE if a given transport lacks a capability that the protocol needs;
     *     in that case, the given transports stay open
     */
    public static RocketBufs open(Config config, Transport... given) {
        for (Transport transport : given) {
            NeededCapabilities.check(transport.name(), transport.capabilities());
        }
        RocketBufs rocketBufs = new RocketBufs(config);
        for (Transport transport : given) {
            rocketBufs.transports.put(transport.name(), transport);
        }
        rocketBufs.open = given.clone();
        return rocketBufs;
    }

    /**
     * Checks the framework's part of the configuration, including the parts of all installed transports, without
     * opening anything.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first invalid value
     */
    public static void check(Config config) {
        RocketBufsSettings.from(config);
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            provider.check(config);
        }
    }

    /** Returns the settings in use. */
    public RocketBufsSettings settings() {
        return settings;
    }

    /** Returns the transports from which {@code rocketbufs.transport = auto} selects in this process. */
    public AutomaticTransports automatic() {
        return automatic;
    }

    /**
     * Connects to a listener. Does not block. The transport {@code auto} selects the preferred transport that reaches
     * every machine. Applications that can negotiate a better transport use {@link #automatic()}.
     *
     * @return a future that completes on the connection's worker when the peer's greeting has arrived, or fails with a
     *     {@link TransportException}
     */
    public CompletableFuture<Connection> connect(InetSocketAddress address, ConnectOptions options) {
        String name = automatic.resolve(options.transport() == null ? settings.transport() : options.transport());
        Transport transport = transport(name);
        AtomicReference<Connection> made = new AtomicReference<>();
        return transport
                .connect(address, established -> {
                    made.set(Connection.connecting(established, name, settings, memory, options));
                    return track(made.get());
                })
                .thenCompose(established -> made.get().greeted());
    }

    /**
     * Returns all installed transports, usable or not, with the configured one first. Meant for diagnosis: this method
     * is slow, because it opens every transport that is not open yet and tries each implementation that a transport can
     * choose from.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the invalid value
     */
    public List<TransportInfo> transports() {
        List<TransportInfo> infos = new ArrayList<>();
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            infos.add(describe(provider));
        }
        String configured = automatic.resolve(settings.transport());
        infos.sort(Comparator.comparing((TransportInfo info) -> !info.name().equals(configured))
                .thenComparing(TransportInfo::name));
        return infos;
    }

    private TransportInfo describe(TransportProvider provider) {
        List<TransportChoice> choices = provider.choices(config);
        try {
            Transport transport = transport(provider.name());
            return new TransportInfo(provider.name(), true, transport.detail(), transport.capabilities(), choices);
        } catch (TransportException e) {
            return new TransportInfo(provider.name(), false, e.getMessage(), null, choices);
        }
    }

    /**
     * Returns the address that programs on this machine use to reach each other over a transport, which may be
     * {@code auto}. Opens the transport.
     *
     * @throws TransportException with code UNAVAILABLE if the transport cannot be used on this machine
     */
    public InetAddress localAddress(String transport) {
        return transport(automatic.resolve(transport)).localAddress();
    }

    /** Returns the counters of this process, for {@link io.rocketbufs.metrics.RocketBufsMetrics} and for diagnosis. */
    public MetricsSource metrics() {
        return metrics;
    }

    /**
     * Runs a task on every worker of the open transports and waits until all tasks have run or the time limit has
     * passed. A worker that does not run its task is stuck in a callback or has ended; it is not serving its
     * connections.
     *
     * @return descriptions of the workers that have not run their task within {@code timeoutMs}, such as "tcp worker 1
     *     of 4"; empty if all workers have run the task
     * @throws IllegalStateException if called on a worker
     */
    public List<String> unresponsiveWorkers(long timeoutMs) {
        if (isWorkerThread()) {
            throw new IllegalStateException("unresponsiveWorkers() waits for the workers, so none of them may call it");
        }
        Map<String, CompletableFuture<Void>> answers = askWorkers();
        try {
            CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
                    .get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // The workers that have not answered are collected below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        answers.values().removeIf(CompletableFuture::isDone);
        return List.copyOf(answers.keySet());
    }

    private synchronized Map<String, CompletableFuture<Void>> askWorkers() {
        Map<String, CompletableFuture<Void>> answers = new LinkedHashMap<>();
        for (Transport transport : transports.values()) {
            List<? extends Worker> workers = transport.workers();
            for (int i = 0; i < workers.size(); i++) {
                CompletableFuture<Void> answer = new CompletableFuture<>();
                answers.put(transport.name() + " worker " + (i + 1) + " of " + workers.size(), answer);
                workers.get(i).execute(() -> answer.complete(null));
            }
        }
        return answers;
    }

    /**
     * Returns true if called on a worker of any open transport. A worker runs callbacks and must not wait for a
     * connection, even one that belongs to another worker. Waiting would delay its own connections, and two workers
     * could wait for each other. This method neither blocks nor allocates.
     */
    public boolean isWorkerThread() {
        for (Transport transport : open) {
            if (transport.inWorker()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Rereads and checks the files named in the settings of the open transports, such as certificates. Nothing changes
     * until {@link ReloadedFiles#apply} is called. After that, new connections use the new contents; existing
     * connections never do. Blocks while it reads the files. If another thread has read the files, also blocks until
     * that thread closes its result, so that older contents never replace newer ones. The calling thread must close the
     * result. To use files with other names, open a new RocketBufs instance.
     *
     * @throws IllegalArgumentException if a file cannot be used; names the key and the file
     */
    public ReloadedFiles reloadFiles() {
        List<ReloadedFiles> read = new ArrayList<>();
        reloading.lock();
        try {
            for (Transport transport : open) {
                read.add(transport.reloadFiles());
            }
            return new TransportFiles(read, reloading);
        } catch (RuntimeException | Error e) {
            read.forEach(ReloadedFiles::close);
            reloading.unlock();
            throw e;
        }
    }

    /** The reloaded files of all open transports, which hold a lock until they are closed. */
    private static final class TransportFiles implements ReloadedFiles {
        private final List<ReloadedFiles> all;
        private final ReentrantLock held;
        private boolean isClosed;

        private TransportFiles(List<ReloadedFiles> all, ReentrantLock held) {
            this.all = all;
            this.held = held;
        }

        @Override
        public List<String> changes() {
            return all.stream().flatMap(files -> files.changes().stream()).toList();
        }

        @Override
        public void apply() {
            all.forEach(ReloadedFiles::apply);
        }

        @Override
        public void close() {
            if (!isClosed) {
                isClosed = true;
                all.forEach(ReloadedFiles::close);
                held.unlock();
            }
        }
    }

    /** Returns the number of bytes that buffers occupy, rounded up to pages. May be called after {@link #close()}. */
    public long memoryInUse() {
        return memory.allocatedLength();
    }

    /**
     * Closes all listeners, ends all connections abruptly, stops the workers, ends all buffers and frees the memory.
     * Idempotent.
     *
     * <p>The listeners are closed first, so a peer that loses its connection cannot reconnect to this process, even
     * over another transport.
     *
     * @throws IllegalStateException if called on a worker; in that case, nothing is closed
     */
    @Override
    public void close() {
        if (isWorkerThread()) {
            throw new IllegalStateException("close() waits for the workers, so none of them may call it");
        }
        List<Runnable> ends = new ArrayList<>();
        synchronized (this) {
            closed = true;
            listeners.forEach(listener -> ends.add(listener::close));
            transports.values().forEach(transport -> ends.add(transport::close));
        }
        RuntimeException failure = null;
        for (Runnable end : ends) {
            try {
                end.run();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        // Buffers end after the connections are closed, so that peers see a lost connection rather than a graceful end.
        // Ending the buffers also wakes threads that are waiting for segments.
        outputs.forEach(out -> out.outputs().removeAll());
        if (failure != null) {
            // The memory is not freed, because a transport that failed to close may still access it.
            throw failure;
        }
        memory.close();
    }

    MemoryPool memory() {
        return memory;
    }

    /**
     * Listens on an address.
     *
     * @param onFailure supplies the callback for failures of connections without a close callback; null for none
     */
    TransportListener listen(
            String transport,
            InetSocketAddress address,
            ConnectionCallback callback,
            Supplier<Consumer<Throwable>> onFailure) {
        TransportListener listener = transport(transport).listen(address, established -> {
            Connection accepted =
                    Connection.accepted(established, transport, settings, memory, callback, onFailure.get());
            ungreeted.add(accepted);
            return track(accepted);
        });
        if (!add(listener)) {
            listener.close();
            throw closedFailure(transport);
        }
        return listener;
    }

    /** Returns false if {@link #close()} has already collected the listeners to close. */
    private synchronized boolean add(TransportListener listener) {
        return !closed && listeners.add(listener);
    }

    /** Removes a closed listener. */
    void remove(TransportListener listener) {
        listeners.remove(listener);
    }

    /** Adds a new ROut and returns its number. */
    int add(ROut out) {
        outputs.add(out);
        return outputCount.incrementAndGet();
    }

    /** Removes a closed ROut. */
    void remove(ROut out) {
        outputs.remove(out);
    }

    private Session track(Connection connection) {
        connections.add(connection);
        connection.closed().thenRun(() -> connections.remove(connection));
        return connection.session();
    }

    private synchronized Transport transport(String name) {
        if (closed) {
            throw closedFailure(name);
        }
        return transports.computeIfAbsent(name, this::openAndAdd);
    }

    private static IllegalStateException closedFailure(String transport) {
        return new IllegalStateException("RocketBufs is closed: transport=" + transport);
    }

    private Transport openAndAdd(String name) {
        Transport transport = openTransport(name);
        Transport[] more = Arrays.copyOf(open, open.length + 1);
        more[open.length] = transport;
        open = more;
        return transport;
    }

    private Transport openTransport(String name) {
        List<String> names = new ArrayList<>();
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(name)) {
                return openTransport(provider);
            }
            names.add(provider.name());
        }
        throw new TransportException(
                TransportException.Code.UNAVAILABLE,
                "transport \"" + name + "\" is not installed; installed transports: " + String.join(", ", names));
    }

    private Transport openTransport(TransportProvider provider) {
        Transport transport = provider.open(config);
        try {
            NeededCapabilities.check(provider.name(), transport.capabilities());
        } catch (RuntimeException | Error e) {
            transport.close();
            throw e;
        }
        return transport;
    }

    /** The source of the counters of connections, buffers and subscriptions. */
    private final class Metrics implements MetricsSource {
        @Override
        public List<ConnectionState> connections() {
            return connections.stream()
                    .map(connection -> connection.session().state())
                    .toList();
        }

        @Override
        public int connectionCount() {
            return connections.size();
        }

        @Override
        public List<OutputState> outputs() {
            return outputs.stream()
                    .flatMap(out -> out.outputs().states().stream())
                    .toList();
        }

        @Override
        public List<SubscriptionState> subscriptions() {
            return outputs.stream()
                    .flatMap(out -> out.outputs().subscriptions().stream())
                    .toList();
        }

        @Override
        public long memoryInUse() {
            return memory.allocatedLength();
        }

        @Override
        public double certificateExpirySeconds() {
            return Stream.of(open)
                    .map(Transport::certificateEnd)
                    .filter(Objects::nonNull)
                    .mapToDouble(end -> Duration.between(Instant.now(), end).toSeconds())
                    .min()
                    .orElse(Double.NaN);
        }

        @Override
        public long memoryReserved() {
            return memory.reservedLength();
        }
    }
}

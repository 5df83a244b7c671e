package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * A network within one test. Its transports reach each other through simulated ports; the host part of an address is
 * ignored.
 *
 * <p>Rule violations are recorded as well as thrown, because the violating thread may swallow the exception.
 * {@link #close()} fails if any violation was recorded.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class LoopbackNetwork implements AutoCloseable {
    private static final int FIRST_CHOSEN_PORT = 40_000;

    private final LoopbackOptions options;
    private final long seed;
    private final Random random;
    private final LoopbackQuiet quiet = new LoopbackQuiet();
    private final LoopbackWorker nic;
    private final List<LoopbackTransport> transports = new ArrayList<>();
    private final Map<Integer, LoopbackListener> listeners = new HashMap<>();
    private final List<LoopbackLink> links = new ArrayList<>();
    private final List<Throwable> violations = new ArrayList<>();
    private Consumer<LoopbackLink> onLink = link -> {};
    private int nextPort = FIRST_CHOSEN_PORT;
    private int nextWorker;
    private long nextKey = 1;
    private boolean refusing;
    private volatile boolean shuffling;
    private volatile boolean checkingWrites = true;
    private boolean seedPrinted;

    /** Creates a network in which all connections have the given options. */
    public LoopbackNetwork(LoopbackOptions options) {
        options.validate();
        this.options = options;
        seed = options.seed() != 0
                ? options.seed()
                : ThreadLocalRandom.current().nextLong();
        random = new Random(seed);
        nic = new LoopbackWorker(this, "rocketnet-loopback-nic");
    }

    /** Adds a transport. Closing this network closes the transport if it is still open. */
    public synchronized LoopbackTransport transport(String name) {
        LoopbackTransport transport = new LoopbackTransport(this, name);
        transports.add(transport);
        return transport;
    }

    /** Returns all links established so far, in order. */
    public synchronized List<LoopbackLink> links() {
        return List.copyOf(links);
    }

    /**
     * Passes each future link to {@code action} before any data is sent over it, so that the action can set the link's
     * faults.
     */
    public synchronized void onLink(Consumer<LoopbackLink> action) {
        onLink = action;
    }

    /** Sets whether future connection attempts are refused. */
    public synchronized void refuseConnects(boolean value) {
        refusing = value;
    }

    /** Sets whether data on different connections is reordered at random. */
    public void shuffle(boolean value) {
        shuffling = value;
    }

    /**
     * Waits until nothing is in transit and all workers are idle. Data on hold and scheduled tasks that are not due are
     * not counted.
     *
     * @throws AssertionError if the network is not quiet within {@code limitMs} milliseconds
     */
    public void awaitQuiet(long limitMs) {
        try {
            if (!quiet.await(limitMs)) {
                throw new AssertionError("the network was not quiet within " + limitMs + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for quiet", e);
        }
    }

    /** Returns the violations recorded so far, and clears them. */
    public synchronized List<Throwable> takeViolations() {
        List<Throwable> taken = List.copyOf(violations);
        violations.clear();
        return taken;
    }

    /**
     * Closes all transports.
     *
     * @throws AssertionError if rules were violated
     */
    @Override
    public void close() {
        List<LoopbackTransport> open;
        synchronized (this) {
            open = List.copyOf(transports);
        }
        open.forEach(LoopbackTransport::close);
        nic.end();
        nic.join();
        links().forEach(LoopbackLink::checkWords);
        List<Throwable> broken = takeViolations();
        if (!broken.isEmpty()) {
            AssertionError error = new AssertionError(broken.size() + " violations, the first: " + broken.get(0));
            broken.forEach(error::addSuppressed);
            throw error;
        }
    }

    LoopbackOptions options() {
        return options;
    }

    LoopbackQuiet quiet() {
        return quiet;
    }

    LoopbackWorker nic() {
        return nic;
    }

    synchronized LoopbackWorker newWorker() {
        return new LoopbackWorker(this, "rocketnet-loopback-worker-" + nextWorker++);
    }

    synchronized long nextKey() {
        return nextKey++;
    }

    /** Returns a random number from 0 (inclusive) to {@code bound} (exclusive). The first call prints the seed. */
    synchronized int random(int bound) {
        if (!seedPrinted) {
            seedPrinted = true;
            System.out.println("loopback network: seed=" + seed);
        }
        return random.nextInt(bound);
    }

    /** Returns true if the calling engine must defer its work until the engines of other connections have run. */
    boolean deferred() {
        return shuffling && random(2) == 0;
    }

    /** Records the violation of a rule, and throws it in the violating thread. */
    void violation(String message) {
        AssertionError error = new AssertionError(message);
        record(error);
        throw error;
    }

    synchronized void record(Throwable violation) {
        if (!violations.contains(violation)) {
            violations.add(violation);
        }
    }

    /**
     * Sets whether the memory of a committed write must stay unchanged until the write completes. The default is true.
     */
    public void checkWrites(boolean value) {
        checkingWrites = value;
    }

    void checkUnchanged(LoopbackFrame frame) {
        if (checkingWrites && !frame.unchanged()) {
            record(new AssertionError("memory of a committed write changed before its completion: immediate="
                    + frame.immediate() + ", length=" + frame.length()));
        }
    }

    /** Runs a worker's task. The worker continues even if the task throws an exception. */
    void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            record(e);
        }
    }

    synchronized LoopbackListener listen(
            LoopbackTransport transport, InetSocketAddress address, TransportAcceptor acceptor) {
        int port = address.getPort() == 0 ? nextPort++ : address.getPort();
        LoopbackListener listener = new LoopbackListener(transport, at(address.getAddress(), port), acceptor);
        if (listeners.putIfAbsent(port, listener) != null) {
            throw new TransportException(Code.ADDRESS_IN_USE, "the address is in use: " + listener.address());
        }
        return listener;
    }

    private static InetSocketAddress at(InetAddress host, int port) {
        return new InetSocketAddress(host == null ? InetAddress.getLoopbackAddress() : host, port);
    }

    synchronized void remove(LoopbackListener listener) {
        listeners.remove(listener.address().getPort(), listener);
    }

    synchronized void removeListenersOf(LoopbackTransport transport) {
        listeners.values().removeIf(listener -> listener.transport() == transport);
    }

    CompletableFuture<TransportConnection> connect(
            LoopbackTransport transport, InetSocketAddress address, TransportAcceptor acceptor) {
        LoopbackLink link = null;
        LoopbackListener listener;
        Consumer<LoopbackLink> action;
        synchronized (this) {
            listener = refusing ? null : listeners.get(address.getPort());
            if (listener != null) {
                link = new LoopbackLink(transport, at(null, nextPort++), listener);
                links.add(link);
            }
            action = onLink;
        }
        if (link == null) {
            return refused(transport, address);
        }
        action.accept(link);
        boolean started = listener.transport().start(link.server(), listener.acceptor());
        if (!transport.start(link.client(), acceptor)) {
            link.client().abort();
        } else if (!started) {
            link.cut();
        }
        return link.client().whenEstablished();
    }

    private static CompletableFuture<TransportConnection> refused(
            LoopbackTransport transport, InetSocketAddress address) {
        CompletableFuture<TransportConnection> future = new CompletableFuture<>();
        TransportException cause = new TransportException(Code.NO_LISTENER, "there is no listener on " + address);
        if (transport.isClosed()) {
            future.completeExceptionally(cause);
        } else {
            transport.nextWorker().execute(() -> future.completeExceptionally(cause));
        }
        return future;
    }
}

package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.EventLoop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A thread that serves connections. It polls the memory of connections that are awake, and waits for events on all
 * sockets. A connection without data goes to sleep until its peer wakes it; when all connections sleep, the thread
 * blocks.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #beginEnd}, {@link #closeAll} and the public methods; all other
 * methods belong to the thread itself.
 */
final class ShmWorker extends EventLoop {
    /**
     * Number of rounds per poll of the sockets while at least one connection is awake. The sockets are not polled in
     * every round, because each poll is a system call. The sockets report new connections, disconnected peers, and data
     * for sleeping connections.
     */
    private static final int ROUNDS_PER_LOOK = 64;

    /** Number of idle rounds, or of idle connections in a round, that take about as long as a short round with data. */
    private static final int IDLE_ROUNDS = 8;

    private final ShmEpoll epoll;
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private final List<ShmConnection> awake = new ArrayList<>();
    /** Owners of the sockets, by descriptor. */
    private ShmEndpoint[] endpoints = new ShmEndpoint[64];

    private int rounds;
    private boolean aborting;

    /** Creates and starts a worker. */
    ShmWorker(int number, long spinNs) throws ShmException {
        super("rocketnet-shm-worker-" + number, spinNs);
        epoll = new ShmEpoll();
        try {
            start();
        } catch (Error e) {
            // The kernel refuses to create another thread.
            epoll.close();
            throw e;
        }
    }

    /** Registers the owner of a socket. Returns false if the transport is being closed. */
    boolean add(ShmSocket socket, ShmEndpoint endpoint) {
        if (aborting) {
            return false;
        }
        replace(socket, endpoint);
        return true;
    }

    /** Sets the owner of a socket. */
    void replace(ShmSocket socket, ShmEndpoint endpoint) {
        int descriptor = socket.descriptor();
        if (descriptor >= endpoints.length) {
            endpoints = Arrays.copyOf(endpoints, Math.max(descriptor + 1, 2 * endpoints.length));
        }
        endpoints[descriptor] = endpoint;
    }

    /** Stops reporting a socket's events to its owner. */
    void ignore(ShmSocket socket) {
        epoll.remove(socket.descriptor());
    }

    /** Starts reporting a socket's events to its owner. */
    void watch(ShmSocket socket) throws ShmException {
        epoll.add(socket.descriptor());
    }

    /** Removes an open socket. Does nothing if the socket was not added. */
    void remove(ShmSocket socket) {
        int descriptor = socket.descriptor();
        epoll.remove(descriptor);
        if (descriptor < endpoints.length) {
            endpoints[descriptor] = null;
        }
        completeWhenEmpty();
    }

    /** Starts polling a connection. Polling continues until the connection sleeps. */
    void wake(ShmConnection connection) {
        awake.add(connection);
    }

    /**
     * Notifies all endpoints that the transport is being closed. The returned future completes when all endpoints have
     * closed.
     */
    CompletableFuture<Void> beginEnd() {
        if (!tryExecute(this::abortAll)) {
            empty.complete(null);
        }
        return empty;
    }

    private void abortAll() {
        aborting = true;
        remaining().forEach(ShmEndpoint::abort);
        completeWhenEmpty();
    }

    private void completeWhenEmpty() {
        if (aborting && remaining().isEmpty()) {
            empty.complete(null);
        }
    }

    private List<ShmEndpoint> remaining() {
        return Arrays.stream(endpoints).filter(Objects::nonNull).toList();
    }

    /**
     * Abandons the remaining endpoints and ends the thread. The returned future completes after the thread's last task.
     */
    CompletableFuture<Void> closeAll() {
        execute(() -> {
            aborting = true;
            remaining().forEach(endpoint -> runGuarded(endpoint::abandon));
        });
        return shutDown();
    }

    @Override
    protected boolean poll() {
        boolean busy = false;
        for (int i = awake.size() - 1; i >= 0; i--) {
            ShmConnection connection = awake.get(i);
            busy |= connection.poll();
            if (connection.isClosed()) {
                noLongerAwake(i);
            }
        }
        rounds += busy ? IDLE_ROUNDS : 1 + awake.size() / IDLE_ROUNDS;
        if (rounds >= ROUNDS_PER_LOOK) {
            rounds = 0;
            busy |= look(0);
        }
        return busy;
    }

    /** Puts connections without data to sleep; their peers then wake them. Returns whether any connection has data. */
    @Override
    protected boolean hasEvents() {
        for (int i = awake.size() - 1; i >= 0; i--) {
            if (awake.get(i).sleep()) {
                noLongerAwake(i);
            }
        }
        return !awake.isEmpty();
    }

    /** Stops polling a connection. The last connection takes its place in the list. */
    private void noLongerAwake(int index) {
        ShmConnection last = awake.remove(awake.size() - 1);
        if (index < awake.size()) {
            awake.set(index, last);
        }
    }

    @Override
    protected void await(long timeoutMs) {
        look((int) timeoutMs);
    }

    private boolean look(int timeoutMs) {
        int events = epoll.await(timeoutMs);
        for (int i = 0; i < events; i++) {
            int descriptor = epoll.descriptor(i);
            ShmEndpoint endpoint = descriptor < 0 ? null : endpoints[descriptor];
            if (endpoint != null) {
                ready(endpoint);
            }
        }
        return events > 0;
    }

    /** Reports an event. Does not use {@link #runGuarded}, which would allocate a task for each wake-up. */
    private void ready(ShmEndpoint endpoint) {
        try {
            endpoint.ready();
        } catch (RuntimeException | Error e) {
            taskFailed(e);
        }
    }

    @Override
    protected void interrupt() {
        epoll.interrupt();
    }

    @Override
    protected void end() {
        epoll.close();
    }
}

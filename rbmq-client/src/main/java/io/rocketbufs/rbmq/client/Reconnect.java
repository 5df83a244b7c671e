package io.rocketbufs.rbmq.client;

import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.Role;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifetime of a publisher's or subscriber's connection, including its replacements.
 *
 * <pre>
 *                        lost                        the delay is over
 *   CONNECTED ------------------------&gt; WAITING ---------------------------&gt; TRYING
 *     |    ^                             ^   |                                |  | |
 *     |    |                             |   |                                |  | |
 *     |    |                             +---|------ no address accepts ------+  | |
 *     |    +------------------------------- a broker accepts --------------------+ |
 *     |                                      |                                     |
 *     |                                      |  GIVEN_UP &lt;--- refused, too late ---+
 *     |                                      |      |                              |
 *     +--- closed, or not to be replaced ----+------+----------- closed -----------+---&gt; ENDED
 * </pre>
 *
 * A thread for reconnecting exists only from the loss of a connection until a broker accepts the next one. All
 * callbacks are called on the worker of the current or most recent connection.
 *
 * <p><b>Thread-safety:</b> any thread. The lock is never held during a call of the {@link Client} or of callbacks.
 * <b>Ownership:</b> owns the connections.
 *
 * @param <L> the type of a connection
 */
final class Reconnect<L extends BrokerLink> {
    private static final Logger LOG = LoggerFactory.getLogger(Reconnect.class);

    /**
     * The publisher or subscriber whose connection is replaced.
     *
     * @param <L> the type of a connection
     */
    interface Client<L> {
        /**
         * Connects to a broker; blocks.
         *
         * @throws TransportException when the broker does not accept the client
         */
        L open(BrokerTarget target);

        /** Called on the connecting thread when a broker has accepted the first connection. */
        void onConnected(L first);

        /** Called on the worker when a connection is lost and will be replaced. */
        void onLost(L lost);

        /** Called on the worker of a connection that replaces a lost one. */
        void onReplaced(L link);

        /**
         * Called when a connection has ended and will not be replaced. Called on the worker, or on the thread that
         * reconnects if the transport can no longer be used.
         *
         * @param last the connection that has just ended; null if the client has given up its attempts to replace a
         *     lost one
         * @param failure the failure; null after a graceful close
         */
        void onEnded(L last, Throwable failure);
    }

    private enum State {
        CONNECTED,
        WAITING,
        TRYING,
        GIVEN_UP,
        ENDED
    }

    private final Role role;
    private final List<HostPort> brokers;
    private final boolean enabled;
    private final ReconnectSchedule schedule;
    private final SameBroker sameBroker;
    private final TransportSelection<L> transports;
    private final Client<L> client;
    private final CurrentWorker worker = new CurrentWorker();
    /** The library's callbacks first, then the application's. */
    private final List<ReconnectCallback> callbacks = new CopyOnWriteArrayList<>();
    /** The current or most recent connection. Written under the lock. */
    private volatile L current;

    private volatile long reconnectCount;

    // Guarded by this object's lock.
    private State state = State.CONNECTED;
    private long sinceNs = System.nanoTime();
    private Thread thread;

    /**
     * Creates a lifetime that starts with {@link #connect}.
     *
     * @param automatic selects the transport if it is configured as {@code auto}
     * @param sameBroker ensures that this and the client's other connection lead to the same broker
     * @param callback the application's callback
     */
    Reconnect(
            Role role,
            ClientSettings settings,
            AutomaticTransports automatic,
            SameBroker sameBroker,
            ReconnectCallback callback,
            Client<L> client) {
        this.role = role;
        this.brokers = settings.brokers();
        this.enabled = settings.reconnect().enabled();
        this.schedule = new ReconnectSchedule(
                settings.reconnect(), () -> ThreadLocalRandom.current().nextDouble());
        this.sameBroker = sameBroker;
        this.transports = new TransportSelection<>(settings.transport(), automatic, client::open);
        this.client = client;
        callbacks.add(callback);
    }

    /** Adds an internal callback, which is called before the application's callback. */
    void addCallback(ReconnectCallback callback) {
        callbacks.add(0, callback);
    }

    /** Returns the current or most recent connection. */
    L current() {
        return current;
    }

    /** Returns the worker of the current connection, which runs all callbacks. */
    CurrentWorker worker() {
        return worker;
    }

    /** Returns the number of times that a lost connection was replaced. */
    long reconnectCount() {
        return reconnectCount;
    }

    /**
     * Connects to the broker for the first time; blocks.
     *
     * @throws TransportException when no address accepts the client
     */
    void connect() {
        BrokerAddresses.connect(brokers, address -> {
            L opened = transports.open(address);
            requireSame(opened, address);
            worker.begin(opened.connection());
            client.onConnected(opened);
            enter(opened);
            return opened;
        });
    }

    private void requireSame(L opened, InetSocketAddress address) {
        try {
            sameBroker.enter(role, opened.welcome(), address);
        } catch (TransportException e) {
            opened.connection().close();
            throw e;
        }
    }

    /**
     * Makes the first connection current. The end of this connection may already have been reported, but was ignored at
     * that time.
     */
    private synchronized void enter(L first) {
        current = first;
        if (first.hasEnded()) {
            Throwable failure = first.failure();
            first.connection().execute(() -> onClosed(first, failure));
        }
    }

    // Losses.

    /** Called on the worker when a connection has ended. The failure is null after a graceful close. */
    void onClosed(BrokerLink link, Throwable failure) {
        L lost;
        synchronized (this) {
            link.end(failure);
            lost = current;
        }
        if (link != lost) {
            return; // not current yet, or rejected by this side
        }
        sameBroker.leave(role);
        TransportException cause = BrokerConnection.causeOf(failure);
        long delayMs = lose(cause);
        if (delayMs < 0) {
            client.onEnded(lost, failure);
            return;
        }
        if (failure != null) {
            transports.onLost(lost, cause);
        }
        try {
            reportLoss(lost, cause, delayMs);
        } finally {
            start(delayMs);
        }
    }

    /** Reports a loss to the client and to all callbacks, even if the client throws an exception. */
    private void reportLoss(L lost, TransportException cause, long delayMs) {
        try {
            client.onLost(lost);
        } finally {
            tell(callback -> callback.onDisconnected(cause, delayMs));
        }
    }

    /** Returns the delay before the first attempt to replace a connection; -1 if it will not be replaced. */
    private synchronized long lose(TransportException cause) {
        if (state != State.CONNECTED) {
            return -1;
        }
        // A protocol violation, or an exception thrown by the application's code, would recur.
        if (!enabled || cause.code() == TransportException.Code.PROTOCOL) {
            state = State.ENDED;
            return -1;
        }
        schedule.lost(elapsedMs());
        state = State.WAITING;
        sinceNs = System.nanoTime();
        return schedule.nextMs(0);
    }

    /** Calls all callbacks; their exceptions are logged. */
    private void tell(Consumer<ReconnectCallback> event) {
        for (ReconnectCallback callback : callbacks) {
            try {
                event.accept(callback);
            } catch (RuntimeException e) {
                LOG.error("A callback for lost connections failed", e);
            }
        }
    }

    private synchronized void start(long delayMs) {
        if (state == State.WAITING) {
            thread = new Thread(() -> run(delayMs), "rbmq-" + role.name().toLowerCase(Locale.ROOT) + "-reconnect");
            thread.setDaemon(true);
            thread.start();
        }
    }

    // Attempts, on the thread that reconnects.

    private void run(long firstDelayMs) {
        long delayMs = firstDelayMs;
        while (await(delayMs)) {
            TransportException cause = tryOnce();
            if (cause == null) {
                return;
            }
            delayMs = nextMs(cause);
            if (delayMs > 0) {
                long nextAttemptMs = delayMs;
                worker.execute(() -> tell(callback -> callback.onDisconnected(cause, nextAttemptMs)));
            } else if (delayMs < 0) {
                giveUp(cause);
            }
        }
    }

    private void giveUp(TransportException cause) {
        if (cause.code() == TransportException.Code.UNAVAILABLE) {
            client.onEnded(null, cause); // the workers may have stopped
        } else {
            worker.execute(() -> client.onEnded(null, cause));
        }
    }

    /** Waits before an attempt; returns false if no attempt must be made. */
    private synchronized boolean await(long delayMs) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        long leftNs = deadlineNs - System.nanoTime();
        while (state == State.WAITING && leftNs > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            } catch (InterruptedException e) {
                // Only close() interrupts this thread, after it has changed the state.
                return false;
            }
            leftNs = deadlineNs - System.nanoTime();
        }
        if (state != State.WAITING) {
            return false;
        }
        state = State.TRYING;
        return true;
    }

    /** Makes one attempt; returns null if it succeeded, or if the client was closed in the meantime. */
    private TransportException tryOnce() {
        try {
            BrokerAddresses.connect(brokers, address -> {
                replace(transports.open(address), address);
                return address;
            });
            return null;
        } catch (TransportException e) {
            return e;
        } catch (RuntimeException e) {
            // For example, the exception of a RocketBufs that was closed before its client.
            return new TransportException(TransportException.Code.UNAVAILABLE, "cannot reconnect: " + Reason.of(e), e);
        } catch (Error e) {
            // For example, a lack of memory. Without another attempt, the client would neither reconnect nor end.
            return new TransportException(TransportException.Code.RESOURCES, "cannot reconnect: " + Reason.of(e), e);
        }
    }

    /**
     * Replaces the lost connection, unless the client was closed in the meantime.
     *
     * @throws TransportException when the new connection has already ended; callbacks may still run on the worker of
     *     the previous connection
     */
    private void replace(L opened, InetSocketAddress address) {
        requireSame(opened, address);
        boolean isCurrent = false;
        try {
            worker.moveTo(opened.connection());
            isCurrent = enterAgain(opened, address);
        } finally {
            if (!isCurrent) {
                sameBroker.leave(role);
                opened.connection().close();
            }
        }
    }

    /** Returns false if the client was closed in the meantime. */
    private synchronized boolean enterAgain(L opened, InetSocketAddress address) {
        if (state != State.TRYING) {
            return false;
        }
        if (opened.hasEnded()) {
            throw BrokerConnection.causeOf(opened.failure());
        }
        boolean isSame = opened.welcome().brokerId() == current.welcome().brokerId();
        String former = current.transport().name();
        state = State.CONNECTED;
        sinceNs = System.nanoTime();
        thread = null;
        reconnectCount++;
        current = opened;
        opened.connection().execute(() -> begin(opened, former, HostPort.of(address), isSame));
        return true;
    }

    private void begin(L opened, String former, String broker, boolean isSame) {
        String why = transports.reasonAgainst(former, opened.transport());
        if (why != null && opened.connection().isOpen()) {
            tell(callback -> callback.onFallback(former, opened.transport().name(), why));
        }
        if (opened.connection().isOpen()) {
            tell(callback -> callback.onReconnected(broker, isSame));
        }
        // A callback may have closed the client.
        if (opened.connection().isOpen()) {
            client.onReplaced(opened);
        }
    }

    /** Returns the delay before the next attempt; -1 if there is no further attempt, and 0 if the client was closed. */
    private synchronized long nextMs(TransportException cause) {
        if (state == State.ENDED) {
            return 0;
        }
        long nextMs = BrokerAddresses.isFinal(cause) ? -1 : schedule.nextMs(elapsedMs());
        state = nextMs < 0 ? State.GIVEN_UP : State.WAITING;
        return nextMs;
    }

    private long elapsedMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs);
    }

    // The end.

    /**
     * Prevents the replacement of a lost connection. Does not wait, and does not close the connection.
     *
     * @return true if the connection is already lost, so that the client ends without it
     */
    synchronized boolean close() {
        State before = state;
        state = State.ENDED;
        notifyAll();
        if (before == State.TRYING) {
            thread.interrupt();
        }
        return before != State.CONNECTED && before != State.ENDED;
    }

    /** Returns true if the current or most recent connection will not be replaced. */
    synchronized boolean isEnding() {
        return !enabled || state == State.GIVEN_UP || state == State.ENDED;
    }
}

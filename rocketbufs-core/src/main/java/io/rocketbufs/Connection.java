package io.rocketbufs;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.SessionOwner;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An established pair of endpoints, over whatever transport. An {@link RIn} or an {@link ROut} is attached to it, or
 * both.
 *
 * <p><b>Thread-safety:</b> any thread; callbacks come on the connection's worker. <b>Source:</b> RocketBufs 4.1, Conn.
 */
public final class Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final Consumer<Throwable> NOBODY = failure -> {};

    private final Session session;
    private final String transport;
    /** Who connects waits for {@link #greeted()}, and hears there of what goes wrong until then. */
    private final boolean isConnecting;

    private final long bufferCapacity;
    private final CompletableFuture<Connection> greeted = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile Role role;
    private volatile byte[] greeting = {};
    private volatile ControlMessageCallback onControl = message -> {};
    private volatile Consumer<Throwable> onClose = NOBODY;

    private Connection(
            TransportConnection connection,
            String transport,
            RocketBufsSettings settings,
            MemoryPool pool,
            boolean isConnecting,
            Consumer<Connection> onGreeted) {
        this.transport = transport;
        this.isConnecting = isConnecting;
        this.bufferCapacity = settings.bufferCapacity();
        this.session = new Session(connection, new Owner(onGreeted), settings.session(), pool);
    }

    /** The side that was connected to: answers the greeting once the callback has agreed. */
    static Connection accepted(
            TransportConnection connection,
            String transport,
            RocketBufsSettings settings,
            MemoryPool pool,
            ConnectionCallback callback) {
        Connection accepted = new Connection(connection, transport, settings, pool, false, self -> {
            callback.onConnection(self);
            self.session.greet(self.role.code(), new byte[0]);
        });
        accepted.session.start();
        return accepted;
    }

    /** The side that connects: greets first. */
    static Connection connecting(
            TransportConnection connection,
            String transport,
            RocketBufsSettings settings,
            MemoryPool pool,
            ConnectOptions options) {
        Connection connecting =
                new Connection(connection, transport, settings, pool, true, options.callback()::onConnection);
        connecting.role = options.role();
        connecting.session.start();
        connecting.session.greet(options.role().code(), options.greeting());
        return connecting;
    }

    /** What the connecting side is going to do. */
    public Role role() {
        return role;
    }

    /** What the connecting side said of itself at connect; empty on that side. */
    public byte[] greeting() {
        return greeting.clone();
    }

    /** The peer's address, for messages. */
    public String peer() {
        return session.peer();
    }

    /** Name of the transport. */
    public String transport() {
        return transport;
    }

    /** Names who gets the peer's control messages; best within the {@link ConnectionCallback}. */
    public void setControlMessageCallback(ControlMessageCallback callback) {
        onControl = callback;
    }

    /**
     * Names who is told that the connection is over: with null after an orderly close, else with what happened. Where
     * nobody is, a loss is logged.
     */
    public void setCloseCallback(Consumer<Throwable> callback) {
        onClose = callback;
    }

    /**
     * Sends a control message from the buffer's position to its limit, in order with data that is sent later.
     *
     * @throws IllegalArgumentException when it is longer than {@link #longestControlMessage()}
     * @throws io.rocketbufs.rocketnet.TransportException when the connection is closed
     */
    public void sendControlMessage(ByteBuffer message) {
        session.sendControl(message);
    }

    /** Bytes of the longest control message: 16,376, unless the transport carries less. */
    public int longestControlMessage() {
        return session.longestControl();
    }

    /** True on the thread that this connection's callbacks come on, which must not block. */
    public boolean isWorkerThread() {
        return session.worker().inWorker();
    }

    /**
     * Tells the peer that this side lives. That happens by itself, except while a callback keeps the worker from it:
     * for one that has to wait all the same, more often than the peer's heartbeat timeout.
     */
    public void ping() {
        session.ping();
    }

    /** True until the connection is over. */
    public boolean isOpen() {
        return !session.isClosed();
    }

    /** Completes when the connection is over, however it ended. */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /** Closes in good order: what has been delivered is sent first. Returns at once; see {@link #closed()}. */
    public void close() {
        session.close("");
    }

    /** Closes in good order and tells the peer why. */
    public void close(String reason) {
        session.close(reason);
    }

    Session session() {
        return session;
    }

    /** Bytes of a buffer where none are named. */
    long bufferCapacity() {
        return bufferCapacity;
    }

    CompletableFuture<Connection> greeted() {
        return greeted;
    }

    /** Receives the events of the session. */
    private final class Owner implements SessionOwner {
        private final Consumer<Connection> onGreeted;

        private Owner(Consumer<Connection> onGreeted) {
            this.onGreeted = onGreeted;
        }

        @Override
        public void greeted(int roleCode, byte[] said) {
            role = Role.of(roleCode);
            greeting = said;
            try {
                onGreeted.accept(Connection.this);
            } catch (RuntimeException e) {
                greeted.completeExceptionally(new TransportException(
                        TransportException.Code.CLOSED,
                        "connection to " + peer() + ": the connection callback failed: " + e,
                        e));
                throw e;
            }
            greeted.complete(Connection.this);
        }

        @Override
        public void control(ByteBuffer message) {
            onControl.onControlMessage(message);
        }

        @Override
        public void closed(Throwable failure) {
            boolean isTold = onClose != NOBODY || isConnecting && !greeted.isDone();
            if (failure != null && !isTold) {
                LOG.warn("Connection closed: {}", failure.getMessage());
            }
            greeted.completeExceptionally(failure == null ? closedEarly() : failure);
            try {
                onClose.accept(failure);
            } finally {
                closed.complete(null);
            }
        }

        private TransportException closedEarly() {
            return new TransportException(
                    TransportException.Code.CLOSED, "closed before " + peer() + " had answered the greeting");
        }
    }
}

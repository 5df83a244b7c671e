package io.rocketbufs;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.AtomicsExecutor;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.session.NeededCapabilities;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.SessionOwner;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to one peer, over any transport. An {@link RIn}, an {@link ROut} or both can be attached to it.
 *
 * <p><b>Thread-safety:</b> any thread; callbacks run on the connection's worker. <b>Source:</b> RocketBufs 4.1, Conn.
 */
public final class Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final Consumer<Throwable> UNSET = failure -> {};

    private final Session session;
    private final String transport;
    /** True on the connecting side, where {@link #greeted()} reports failures until the peer has sent its greeting. */
    private final boolean isConnecting;

    private final long bufferCapacity;
    private final CompletableFuture<Connection> greeted = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile Role role;
    private volatile byte[] greeting = {};
    private volatile ControlMessageCallback onControl = message -> {};
    private volatile Consumer<Throwable> onClose = UNSET;

    private Connection(
            TransportConnection connection,
            String transport,
            RocketBufsSettings settings,
            MemoryPool pool,
            boolean isConnecting,
            Consumer<Connection> onGreeted) {
        NeededCapabilities.check(transport, connection.capabilities());
        this.transport = transport;
        this.isConnecting = isConnecting;
        this.bufferCapacity = settings.bufferCapacity();
        this.session = new Session(connection, new Owner(onGreeted), settings.session(), pool);
    }

    /** Returns the accepting side of a connection, which answers the greeting after the callback has returned. */
    static Connection accepted(
            TransportConnection connection,
            String transport,
            RocketBufsSettings settings,
            MemoryPool pool,
            ConnectionCallback callback,
            Consumer<Throwable> onFailure) {
        Connection accepted = new Connection(connection, transport, settings, pool, false, self -> {
            callback.onConnection(self);
            self.session.greet(self.role.code(), new byte[0]);
        });
        if (onFailure != null) {
            accepted.onClose = failure -> {
                if (failure != null) {
                    onFailure.accept(failure);
                }
            };
        }
        accepted.session.start();
        return accepted;
    }

    /** Returns the connecting side of a connection, which sends its greeting first. */
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

    /** Returns the role of the connecting side. */
    public Role role() {
        return role;
    }

    /** Returns the greeting sent by the connecting side. On the connecting side itself, the result is empty. */
    public byte[] greeting() {
        return greeting.clone();
    }

    /** Returns the peer's address, for use in log and error messages. */
    public String peer() {
        return session.peer();
    }

    /**
     * Returns the certificate with which the peer authenticated itself, as verified by the transport; null if the peer
     * did not present one.
     */
    public X509Certificate peerCertificate() {
        return session.link().connection().peerCertificate();
    }

    /** Returns the name of the transport. */
    public String transport() {
        return transport;
    }

    /**
     * Sets the callback invoked with the peer's control messages. To receive every message, set the callback in the
     * {@link ConnectionCallback}.
     */
    public void setControlMessageCallback(ControlMessageCallback callback) {
        onControl = callback;
    }

    /**
     * Sets the callback invoked when the connection has ended. The callback's argument is null after a graceful close;
     * otherwise, it is the failure. Without a callback, a failure is logged.
     */
    public void setCloseCallback(Consumer<Throwable> callback) {
        onClose = callback;
    }

    /**
     * Sends the bytes from the position to the limit of {@code message} as a control message. The message arrives
     * before any data delivered after this call. This method never blocks: it copies the message and queues it if the
     * peer is not reading.
     *
     * @throws IllegalArgumentException if the message is longer than {@link #longestControlMessage()}
     * @throws io.rocketbufs.rocketnet.TransportException if the connection is closed; with code RESOURCES if more than
     *     4 MiB of messages would be queued
     */
    public void sendControlMessage(ByteBuffer message) {
        session.sendControl(message);
    }

    /** Returns the maximum length of a control message in bytes: 16,376, or less if the transport supports less. */
    public int longestControlMessage() {
        return session.longestControl();
    }

    /**
     * Returns true if called on this connection's worker, which runs its callbacks and must not block.
     * {@link RocketBufs#isWorkerThread()} covers the workers of all connections.
     */
    public boolean isWorkerThread() {
        return session.worker().inWorker();
    }

    /**
     * Runs a task on this connection's worker, after the tasks that are already queued there. The task never runs
     * concurrently with the connection's callbacks. This method does not block, and the task must not block either. An
     * exception thrown by the task closes the connection, as does an exception thrown by a callback. Tasks still run
     * after the connection has ended, but are dropped once the {@link RocketBufs} instance is closed.
     */
    public void execute(Runnable task) {
        session.worker().execute(() -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                onTaskFailed(e);
            }
        });
    }

    /**
     * Runs a task as {@link #execute} does, once the transport has accepted all control messages sent so far. An
     * application that sends a long series of control messages uses this method to send more messages only when the
     * queue is empty. The task is dropped if the connection ends first.
     */
    public void executeAfterControlMessages(Runnable task) {
        session.afterControl(() -> execute(task));
    }

    /**
     * Grants the peer rights to part of a region, until {@link Grant#revoke} or the end of the connection. Send the
     * grant's description to the peer in an application message, so that the peer can pass it to {@link #remoteMemory}.
     * The grant holds a lease on the region.
     *
     * <p>If the part is a whole {@link io.rocketbufs.memory.MappedFile}, and {@link Right#READ} is the only right, some
     * transports pass a file descriptor to a peer on this machine. A malicious peer can keep the descriptor and read
     * the file even after the grant has been revoked.
     *
     * @param offset offset of the part within the region, in bytes; a multiple of 8 for {@link Right#ATOMIC}
     * @param length length of the part in bytes, at least 1
     * @param callback notified of the peer's writes
     * @throws IllegalArgumentException if the part is not inside the region, no right is given, or the region is
     *     read-only and the rights include more than {@link Right#READ}
     * @throws TransportException if the connection is closed; with code RESOURCES if it already has 1,024 grants, or
     *     the device cannot register the memory
     * @throws UnsupportedOperationException if the peer's version of RocketBufs does not support grants
     */
    public Grant grant(Region region, long offset, long length, Set<Right> rights, GrantCallback callback) {
        return new Grant(session.oneSided().grant(region, offset, length, rights, callback));
    }

    /**
     * Opens memory that the peer has granted. Each grant can be opened once.
     *
     * @param description the bytes of the grant's description, between the position and the limit
     * @param callback receives the completions of reads and atomic operations, and the events of the memory
     * @throws IllegalArgumentException if the bytes are not a valid description
     * @throws IllegalStateException if the memory is already in use
     * @throws TransportException with code CLOSED if the connection is closed or the peer has revoked the grant
     * @throws UnsupportedOperationException if the peer's version of RocketBufs does not support grants
     */
    public RemoteMemory remoteMemory(ByteBuffer description, RemoteMemoryCallback callback) {
        return new RemoteMemory(session.link(), session.oneSided().open(description, callback));
    }

    /**
     * Returns this side's access to a word of its own memory on which peers perform atomic operations. The owner must
     * change the word only through this access.
     *
     * @param offset offset of the word within the region, in bytes; a multiple of 8
     * @throws IllegalArgumentException if no word can begin at this offset, or the region is read-only
     * @throws UnsupportedOperationException if a device executes the peer's operations, and this side cannot use that
     *     device
     */
    public AtomicCell atomicCell(Region region, long offset) {
        return new AtomicCell(session.link().connection().atomicWord(region, offset));
    }

    /**
     * Returns the executor of the peer's atomic operations: this machine's processor or a device. The peers of two
     * connections can use the same word only if their executors are equal.
     */
    public AtomicsExecutor atomicsExecutor() {
        return session.link().connection().atomicsExecutor();
    }

    private void onTaskFailed(Throwable cause) {
        if (session.isClosed()) {
            LOG.error("A task failed after the connection to {} ended", peer(), cause);
        } else {
            session.fail(new TransportException(
                    TransportException.Code.PROTOCOL, peer() + ": a task failed: " + Reason.of(cause), cause));
        }
    }

    /**
     * Sends a heartbeat to the peer. The worker sends heartbeats automatically, except while it is running a callback.
     * A callback that cannot avoid blocking must call this method at intervals shorter than the peer's heartbeat
     * timeout.
     */
    public void ping() {
        session.ping();
    }

    /** Returns true until the connection has ended. */
    public boolean isOpen() {
        return !session.isClosed();
    }

    /** Returns a future that completes when the connection has ended, gracefully or not. */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Closes the connection gracefully, after sending all delivered data. Returns immediately; {@link #closed()}
     * completes when the connection has ended.
     */
    public void close() {
        session.close("");
    }

    /** Closes the connection gracefully and sends the reason to the peer. */
    public void close(String reason) {
        session.close(reason);
    }

    /**
     * Closes the connection immediately. Data that has not been sent is dropped. The reason is sent to the peer if the
     * transport accepts the message. The connection ends with a failure whose message is the reason. Use this method
     * for a peer that is too slow for {@link #close(String)}. May be called on any thread.
     */
    public void disconnect(String reason) {
        session.disconnect(reason);
    }

    Session session() {
        return session;
    }

    /** Returns the default capacity of a buffer in bytes. */
    long bufferCapacity() {
        return bufferCapacity;
    }

    CompletableFuture<Connection> greeted() {
        return greeted;
    }

    /** The receiver of the session's events. */
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
                        "connection to " + peer() + ": the connection callback failed: " + Reason.of(e),
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
            boolean isReported = onClose != UNSET || isConnecting && !greeted.isDone();
            if (failure != null && !isReported) {
                if (failure instanceof TransportException known && !known.isInternal()) {
                    LOG.warn("Connection closed: {}", failure.getMessage());
                } else {
                    LOG.error("Connection closed: {}", failure.getMessage(), failure);
                }
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
                    TransportException.Code.CLOSED,
                    "connection to " + peer() + ": closed before the peer answered the greeting");
        }
    }
}

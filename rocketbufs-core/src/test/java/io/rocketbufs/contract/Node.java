package io.rocketbufs.contract;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.ConnectionCallback;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One simulated process: a RocketBufs instance with an ROut. Every connected peer may subscribe to the ROut's buffers.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Node {
    private final RocketBufs rocketBufs;
    private final String host;
    private final ROut out;
    private final List<Inbox> inboxes = new CopyOnWriteArrayList<>();
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final List<Connection> accepted = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Map<String, Listener> listeners = new ConcurrentHashMap<>();
    private volatile ConnectionCallback onConnection = connection -> {};

    Node(RocketBufs rocketBufs, String host) {
        this.rocketBufs = rocketBufs;
        this.host = host;
        this.out = new ROut(rocketBufs);
    }

    RocketBufs rocketBufs() {
        return rocketBufs;
    }

    ROut out() {
        return out;
    }

    /** Sets a callback for each connection accepted after this call. The callback runs before the ROut is attached. */
    Node onConnection(ConnectionCallback callback) {
        onConnection = callback;
        return this;
    }

    /** Returns the address on which this node listens over its default transport. */
    InetSocketAddress address() {
        return address(rocketBufs.settings().transport());
    }

    private InetSocketAddress address(String transport) {
        return listeners.computeIfAbsent(transport, this::listen).address();
    }

    private Listener listen(String transport) {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress(host, 0), transport);
        listener.setConnectionCallback(connection -> {
            watch(connection);
            accepted.add(connection);
            onConnection.onConnection(connection);
            out.addConnection(connection);
        });
        return listener;
    }

    /** Returns the accepted connections, in order. */
    List<Connection> accepted() {
        return accepted;
    }

    /** Returns the newest accepted connection. */
    Connection lastAccepted() {
        return accepted.get(accepted.size() - 1);
    }

    /** Returns the failures of this node's connections. */
    List<Throwable> failures() {
        return failures;
    }

    /**
     * Waits until a connection of this node has failed, and returns the failures. A publisher may continue before the
     * failure is reported, because a lost subscription is removed first.
     */
    List<Throwable> awaitFailures() {
        Stage.eventually(() -> !failures.isEmpty(), () -> "a failure of a connection");
        return failures;
    }

    /**
     * Waits until this node has sent everything that it has delivered to a peer, and has been notified of this. Until
     * then, completed writes keep memory in use, as if the peer lagged.
     */
    void awaitSentTo(Connection connection) {
        Stage.eventually(
                () -> out.subscriptions().stream()
                        .filter(each -> each.peer().equals(connection.peer()))
                        .allMatch(each -> each.pendingLength() == 0),
                () -> "the end of sending to " + connection.peer());
    }

    /** Connects to another node and waits for its greeting. */
    Connection connect(Node to, Role role, ConnectionCallback callback) {
        return Stage.get(tryConnect(to, ConnectOptions.as(role, callback)));
    }

    /** Connects to another node over this node's default transport. */
    CompletableFuture<Connection> tryConnect(Node to, ConnectOptions options) {
        ConnectionCallback watching = connection -> {
            watch(connection);
            options.callback().onConnection(connection);
        };
        return rocketBufs.connect(
                to.address(rocketBufs.settings().transport()),
                new ConnectOptions(options.transport(), options.role(), options.greeting(), watching));
    }

    /** Connects to another node as a subscriber. */
    Inbox inbox(Node to) {
        CompletableFuture<Inbox> made = new CompletableFuture<>();
        connect(to, Role.SUBSCRIBER, connection -> made.complete(inbox(connection)));
        return Stage.get(made);
    }

    /** Connects to another node as a peer that receives data and also allows subscriptions to this node's ROut. */
    Inbox inboxAsPeer(Node to) {
        CompletableFuture<Inbox> made = new CompletableFuture<>();
        connect(to, Role.PEER, connection -> {
            out.addConnection(connection);
            made.complete(inbox(connection));
        });
        return Stage.get(made);
    }

    /** Attaches an RIn to a connection of this node. */
    Inbox inbox(Connection connection) {
        Inbox inbox = new Inbox(connection);
        inboxes.add(inbox);
        return inbox;
    }

    /** Connects to another node and subscribes to a buffer of its ROut. */
    Received subscribe(Node to, int bufferId, long capacity) {
        return inbox(to).of(bufferId).subscribe(capacity);
    }

    private void watch(Connection connection) {
        connections.add(connection);
        connection.setCloseCallback(failure -> {
            if (failure != null) {
                failures.add(failure);
            }
        });
    }

    /** Waits until all connections have ended. */
    void awaitClosed() {
        connections.forEach(connection -> Stage.get(connection.closed()));
    }

    /** Unsubscribes from all buffers and removes all buffers. After that, no memory may be in use. */
    void giveUpBuffers() {
        inboxes.forEach(Inbox::close);
        out.close();
    }

    /** Ends this node abruptly, like a process that is killed. */
    void kill() {
        rocketBufs.close();
    }
}

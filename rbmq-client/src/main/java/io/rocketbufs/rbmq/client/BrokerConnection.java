package io.rocketbufs.rbmq.client;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.ConnectionCallback;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Methods that open a client's connection or wait for its end. They block the calling thread. */
final class BrokerConnection {
    private static final long END_LIMIT_MS = 30_000;

    private BrokerConnection() {}

    /**
     * Connects to the broker, and waits until it has accepted the connection and sent WELCOME or OFFERS.
     *
     * @param onConnection called on the worker before the broker's first message
     * @param onMessage receives all messages after WELCOME, on the worker
     * @throws TransportException when the broker refuses the connection or does not respond in time
     * @throws IllegalStateException on a worker
     */
    static WelcomeGate open(
            RocketBufs rocketBufs,
            ClientSettings settings,
            BrokerTarget target,
            Role role,
            ConnectionCallback onConnection,
            WelcomeGate.Receiver onMessage,
            Consumer<Throwable> onClosed) {
        checkMayWait(rocketBufs);
        InetSocketAddress address = target.address();
        HostPort broker = new HostPort(address.getHostString(), address.getPort());
        WelcomeGate gate = new WelcomeGate(broker, target.asks(), onMessage);
        ConnectOptions options = ConnectOptions.as(role, connection -> {
                    connection.setControlMessageCallback(gate);
                    connection.setCloseCallback(failure -> {
                        gate.onClosed(failure);
                        onClosed.accept(failure);
                    });
                    onConnection.onConnection(connection);
                })
                .over(target.transport())
                .withGreeting(GreetingLayout.write(features(target), settings.name(), settings.token()));
        CompletableFuture<Connection> connecting = rocketBufs.connect(address, options);
        await(connecting, connecting.thenCompose(connection -> gate.introduced()), broker, settings.connectTimeoutMs());
        return gate;
    }

    private static long features(BrokerTarget target) {
        return target.asks() ? Features.SUPPORTED : Features.SUPPORTED & ~Features.OFFERS;
    }

    /**
     * Waits for the first message of a broker to which this side is connecting.
     *
     * @throws TransportException when the broker refuses the connection or does not respond in time; the connection is
     *     closed in that case
     */
    static <T> T await(
            CompletableFuture<Connection> connecting, CompletableFuture<T> message, HostPort broker, long timeoutMs) {
        try {
            return message.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) { // of the worker, for example a lack of memory
                throw error;
            }
            throw e.getCause() instanceof TransportException known
                    ? asNew(known)
                    : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            boolean isGreeted = connecting.isDone();
            connecting.thenAccept(Connection::close);
            throw new TransportException(
                    TransportException.Code.TIMEOUT,
                    "connect to " + broker + ": "
                            + (isGreeted
                                    ? "the peer did not send WELCOME, the first message of an RBMQ broker, within "
                                    : "no answer from an RBMQ broker within ")
                            + timeoutMs + " ms; another program may be using this address");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            connecting.thenAccept(Connection::close);
            throw new TransportException(TransportException.Code.CLOSED, "interrupted while connecting", e);
        }
    }

    /**
     * Checks that this thread may wait for a connection and for name resolution.
     *
     * @throws IllegalStateException on a worker
     */
    static void checkMayWait(RocketBufs rocketBufs) {
        if (rocketBufs.isWorkerThread()) {
            throw new IllegalStateException("a worker must not wait for a connection: connect on another thread");
        }
    }

    /** Waits for the broker to close a connection; disconnects it if this takes longer than {@code timeoutMs}. */
    static void awaitEnd(Connection connection, long timeoutMs) {
        try {
            connection.closed().get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            connection.close();
        } catch (ExecutionException | TimeoutException e) {
            connection.disconnect("the client uses another connection");
        }
    }

    /** Waits for a closing connection to end. The connection's own timeouts limit the wait. */
    static void awaitEnd(Connection connection) {
        try {
            connection.closed().get(END_LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "the connection to " + connection.peer() + " did not end within " + END_LIMIT_MS + " ms", e);
        }
    }

    /**
     * Completes the future that a client returns from {@code closed()}: normally if the client requested the close, and
     * otherwise exceptionally, even if the broker closed the connection gracefully.
     */
    static void complete(CompletableFuture<Void> closed, Throwable failure, boolean wished) {
        if (failure != null) {
            closed.completeExceptionally(failure);
        } else if (wished) {
            closed.complete(null);
        } else {
            closed.completeExceptionally(causeOf(null));
        }
    }

    /** Returns the failure that ended a connection; if there was none, a failure stating that the broker closed it. */
    static TransportException causeOf(Throwable failure) {
        return failure instanceof TransportException known
                ? known
                : new TransportException(TransportException.Code.PEER_LOST, "the broker closed the connection");
    }

    /** Returns a copy of the failure with the caller's stack trace instead of the worker's. */
    private static TransportException asNew(TransportException known) {
        return known.withMessage(known.getMessage() + hint(known.otherProtocol()));
    }

    private static String hint(String otherProtocol) {
        if (otherProtocol == null) {
            return "";
        }
        return otherProtocol.equals("TLS")
                ? "; connect with TLS (rocketbufs.transport = tls, or --tls)"
                : "; it is not an RBMQ broker";
    }
}

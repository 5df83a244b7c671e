package io.rocketbufs.rocketlog.client;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection to the broker, over which the client sends requests.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class LogConnection {
    private static final Logger LOG = LoggerFactory.getLogger(LogConnection.class);
    private static final long CLOSE_TIMEOUT_MS = 5000;

    private final Connection connection;
    private final AtomicInteger lastCorrelation = new AtomicInteger();
    private final Map<Integer, CompletableFuture<ByteBuffer>> asked = new ConcurrentHashMap<>();
    private final Consumer<Throwable> onClosed;
    /** Called when READY arrives; null if the client never waits. */
    private volatile Runnable onReady;

    private LogConnection(Connection connection, Consumer<Throwable> onClosed) {
        this.connection = connection;
        this.onClosed = onClosed;
    }

    /**
     * Starts connecting to the broker. Does not block.
     *
     * @param begin called with the connection before any of its other events
     * @param onClosed called once when the connection has ended, with the failure, or with null after a graceful close
     * @return a future that completes on the worker when the broker has accepted the client
     */
    static CompletableFuture<LogConnection> connect(
            RocketBufs rocketBufs,
            LogClientSettings settings,
            Consumer<LogConnection> begin,
            Consumer<Throwable> onClosed) {
        CompletableFuture<LogConnection> made = new CompletableFuture<>();
        AtomicReference<LogConnection> self = new AtomicReference<>();
        ConnectOptions options = ConnectOptions.as(Role.PEER, connection -> {
                    LogConnection begun = new LogConnection(connection, onClosed);
                    self.set(begun);
                    connection.setControlMessageCallback(begun::onMessage);
                    connection.setCloseCallback(begun::onClosed);
                    begin.accept(begun);
                })
                .withGreeting(LogGreetingLayout.write(settings.name()));
        try {
            CompletableFuture<Connection> connecting = rocketBufs.connect(settings.resolve(), options);
            connecting
                    .copy()
                    .orTimeout(settings.connectTimeoutMs(), TimeUnit.MILLISECONDS)
                    .whenComplete((connection, failure) -> {
                        if (failure == null) {
                            made.complete(self.get());
                        } else {
                            made.completeExceptionally(failureOf(failure, settings));
                            connecting.thenAccept(Connection::close); // the broker may still accept the connection
                        }
                    });
        } catch (TransportException e) { // the transport cannot be opened
            made.completeExceptionally(e);
        }
        return made;
    }

    /** Returns the original exception of a failed future. */
    static Throwable causeOf(Throwable failure) {
        boolean isWrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        return isWrapped && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static Throwable failureOf(Throwable failure, LogClientSettings settings) {
        Throwable cause = causeOf(failure);
        return cause instanceof TimeoutException
                ? new LogClientException(
                        LogClientException.Code.TIMEOUT,
                        settings.host() + ":" + settings.port() + ": the broker did not respond within "
                                + settings.connectTimeoutMs() + " ms; check that it is running, or raise"
                                + " rocketlog.client.connect-timeout")
                : cause;
    }

    /** Waits for a future, and returns its result or throws its failure. */
    static <T> T await(CompletableFuture<T> future, LogClientSettings settings) {
        try {
            return future.get(settings.connectTimeoutMs(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = causeOf(e);
            if (cause instanceof Error error) { // for example, a lack of memory
                throw error;
            }
            throw cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
        } catch (TimeoutException e) {
            throw (RuntimeException) failureOf(e, settings);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LogClientException(
                    LogClientException.Code.CLOSED, "interrupted while waiting for the broker's response");
        }
    }

    Connection connection() {
        return connection;
    }

    /** Sets the callback invoked on the worker when the broker has sent READY. */
    void setReadyCallback(Runnable callback) {
        onReady = callback;
    }

    /** Closes the connection gracefully, and briefly waits for it to end. No worker may call this. */
    void closeAndWait() {
        connection.close();
        try {
            connection.closed().get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("{} does not close the connection", connection.peer(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Sends a request to the broker.
     *
     * @param question returns the request message for a given correlation number
     * @return a future that completes on the worker with a copy of the response. It fails with a
     *     {@link LogClientException} if the broker refuses the request, and with a {@link TransportException} if the
     *     request cannot be sent or the connection ends
     */
    CompletableFuture<ByteBuffer> ask(IntFunction<ByteBuffer> question) {
        int correlation = lastCorrelation.incrementAndGet();
        CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
        asked.put(correlation, answer);
        try {
            connection.sendControlMessage(question.apply(correlation));
        } catch (TransportException e) {
            asked.remove(correlation);
            answer.completeExceptionally(e);
        }
        return answer;
    }

    private void onMessage(ByteBuffer message) {
        LogMessageType type = LogMessageLayout.type(message);
        if (type == LogMessageType.READY && onReady != null) {
            onReady.run();
            return;
        }
        CompletableFuture<ByteBuffer> answer = asked.remove(LogMessageLayout.correlation(message));
        if (answer == null) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    connection.peer() + ": the broker sent " + type + " without a request");
        }
        if (type == LogMessageType.REFUSED) {
            answer.completeExceptionally(
                    LogClientException.refused(LogMessageLayout.refusal(message), LogMessageLayout.reason(message)));
        } else {
            answer.complete(ByteBuffer.allocate(message.remaining())
                    .put(message.duplicate())
                    .flip());
        }
    }

    private void onClosed(Throwable failure) {
        asked.values()
                .forEach(answer -> answer.completeExceptionally(
                        failure != null
                                ? failure
                                : new TransportException(
                                        TransportException.Code.CLOSED,
                                        "the connection to " + connection.peer() + " has been closed")));
        onClosed.accept(failure);
    }
}

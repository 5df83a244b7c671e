package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening socket that accepts connections and passes them to a consumer.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #address} and {@link #close}; all other methods belong to the
 * worker. <b>Ownership:</b> owns the listening socket; an accepted socket belongs to the consumer.
 */
final class TcpListener implements TransportListener, TcpReadiness, TcpEndpoint {
    private static final Logger LOGGER = LoggerFactory.getLogger(TcpListener.class);

    private static final int ACCEPTS_PER_TURN = 64;
    private static final long PAUSE_MS = 100;
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final TcpServerSocket socket;
    private final TcpWorker worker;
    private final InetSocketAddress address;
    private final Consumer<TcpSocket> taker;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean closed;
    private boolean pausing;

    TcpListener(TcpServerSocket socket, TcpWorker worker, Consumer<TcpSocket> taker) {
        this.socket = socket;
        this.worker = worker;
        this.taker = taker;
        address = socket.address();
    }

    /** Starts accepting connections. */
    void begin() {
        if (!worker.add(this)) {
            close();
            return;
        }
        try {
            socket.register(worker, this);
        } catch (IOException e) {
            LOGGER.error("{}", TcpFailures.accept(address, e).getMessage());
            close();
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void readable(boolean ended) {
        for (int i = 0; i < ACCEPTS_PER_TURN && !closed; i++) {
            try {
                TcpSocket accepted = socket.accept();
                if (accepted == null) {
                    recovered();
                    return;
                }
                taker.accept(accepted);
            } catch (IOException e) {
                TransportException failure = TcpFailures.accept(address, e);
                if (failure.code() != TransportException.Code.PEER_LOST) {
                    pause(failure);
                    return;
                }
            }
        }
    }

    @Override
    public void writable() {
        // Nothing to do: a listening socket is never written to.
    }

    /**
     * Called when all waiting connections have been accepted. A single accepted connection does not indicate recovery:
     * at the open-file limit, each connection that closes makes room for just one more.
     */
    private void recovered() {
        if (pausing) {
            pausing = false;
            LOGGER.info("Accepting connections on {} again", HostPort.of(address));
        }
    }

    /**
     * Pauses accepting. The kernel keeps reporting a waiting connection, so immediate retries would keep a core busy.
     */
    private void pause(TransportException failure) {
        if (!pausing) {
            pausing = true;
            LOGGER.warn("{}; trying again every {} ms", failure.getMessage(), PAUSE_MS);
        }
        socket.accepting(false);
        worker.schedule(this::resume, PAUSE_MS);
    }

    private void resume() {
        if (!closed) {
            socket.accepting(true);
        }
    }

    @Override
    public void abort() {
        close();
    }

    @Override
    public void close() {
        if (worker.inWorker()) {
            closeNow();
        } else if (worker.tryExecute(this::closeNow)) {
            awaitEnd();
        } else {
            socket.close();
        }
    }

    private void closeNow() {
        if (!closed) {
            closed = true;
            socket.close();
            worker.remove(this);
            ended.complete(null);
        }
    }

    /** Waits until the socket is closed. Until then, the port and the descriptor number cannot be reused. */
    private void awaitEnd() {
        try {
            ended.get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOGGER.warn("The listener on {} did not close within {} ms", HostPort.of(address), CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

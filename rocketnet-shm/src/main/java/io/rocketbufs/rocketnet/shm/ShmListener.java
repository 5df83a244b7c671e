package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjIntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening socket that accepts connections and passes them to a consumer.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #address}, {@link #place} and {@link #close}; all other methods
 * belong to the worker. <b>Ownership:</b> owns the listening socket; an accepted socket belongs to the consumer.
 */
final class ShmListener implements TransportListener, ShmEndpoint {
    private static final Logger LOGGER = LoggerFactory.getLogger(ShmListener.class);

    private static final int ACCEPTS_PER_TURN = 64;
    private static final int MAX_PORT = 65535;
    private static final long PAUSE_MS = 100;
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final ShmServerSocket socket;
    private final ShmWorker worker;
    private final InetSocketAddress address;
    private final ShmDirectory directory;
    private final ObjIntConsumer<ShmSocket> taker;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int accepted;
    private boolean closed;
    private boolean pausing;

    /**
     * Creates a listener.
     *
     * @param directory directory that contains the socket
     * @param taker receives each accepted socket and a number that identifies its peer
     */
    ShmListener(
            ShmServerSocket socket,
            ShmWorker worker,
            InetSocketAddress address,
            ShmDirectory directory,
            ObjIntConsumer<ShmSocket> taker) {
        this.socket = socket;
        this.worker = worker;
        this.address = address;
        this.directory = directory;
        this.taker = taker;
    }

    /** Starts accepting connections. Any thread may call this method. */
    void start() {
        if (!worker.tryExecute(this::begin)) {
            socket.close();
            ended.complete(null);
        }
    }

    private void begin() {
        try {
            if (worker.add(socket.socket(), this)) {
                worker.watch(socket.socket());
                return;
            }
        } catch (ShmException e) {
            LOGGER.error("{}", ShmFailures.accept(address, e).getMessage());
        }
        close();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public String place() {
        try {
            return ShmPlace.of(directory, address.getPort()).toString();
        } catch (IOException e) {
            LOGGER.warn("The listener on {} cannot be offered to clients: {}", HostPort.of(address), Reason.of(e));
            return null;
        }
    }

    @Override
    public void ready() {
        for (int i = 0; i < ACCEPTS_PER_TURN && !closed; i++) {
            try {
                ShmSocket next = socket.socket().accept();
                if (next == null) {
                    recovered();
                    return;
                }
                accepted = accepted % MAX_PORT + 1;
                taker.accept(next, accepted);
            } catch (ShmException e) {
                TransportException failure = ShmFailures.accept(address, e);
                if (failure.code() != TransportException.Code.PEER_LOST) {
                    pause(failure);
                    return;
                }
            }
        }
    }

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
        worker.ignore(socket.socket());
        worker.schedule(this::resume, PAUSE_MS);
    }

    private void resume() {
        if (!closed) {
            try {
                worker.watch(socket.socket());
            } catch (ShmException e) {
                worker.schedule(this::resume, PAUSE_MS);
            }
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
        }
        // Otherwise, the worker has ended and closed this listener.
    }

    private void closeNow() {
        if (!closed) {
            closed = true;
            worker.remove(socket.socket());
            socket.close();
            ended.complete(null);
        }
    }

    /** Waits until the socket is closed. Until then, the port cannot be reused. */
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

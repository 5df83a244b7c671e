package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection on its way to be established, and then what the provider says of it.
 *
 * <p><b>Thread-safety:</b> the monitor's thread.
 */
final class RdmaHandshake implements RdmaEventQueue.Target {
    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaHandshake.class);

    private static final long RETRY_MS = 1;

    private final RdmaConnection connection;
    private final TransportAcceptor acceptor;
    private final InetSocketAddress address;
    /** Null where the peer connected. */
    private final CompletableFuture<TransportConnection> result;
    /** Null until the peer has introduced itself. */
    private RdmaGreeting greeting;

    private Future<?> limit;
    private boolean over;

    /** A connection that is being accepted. */
    RdmaHandshake(
            RdmaConnection connection, TransportAcceptor acceptor, InetSocketAddress address, RdmaGreeting greeting) {
        this(connection, acceptor, address, greeting, null);
    }

    /** A connection that is being connected. */
    RdmaHandshake(
            RdmaConnection connection,
            TransportAcceptor acceptor,
            InetSocketAddress address,
            CompletableFuture<TransportConnection> result) {
        this(connection, acceptor, address, null, result);
    }

    private RdmaHandshake(
            RdmaConnection connection,
            TransportAcceptor acceptor,
            InetSocketAddress address,
            RdmaGreeting greeting,
            CompletableFuture<TransportConnection> result) {
        this.connection = connection;
        this.acceptor = acceptor;
        this.address = address;
        this.greeting = greeting;
        this.result = result;
    }

    /** True when the user has been told, or will not be. */
    boolean isAnnounced() {
        return connection.isAnnounced() || over;
    }

    /** The peer sends already, so it takes the connection as established. */
    void dataCame() {
        if (!isAnnounced() && greeting != null) {
            announce();
        }
    }

    @Override
    public void connected(byte[] data) {
        if (isAnnounced()) {
            return;
        }
        if (greeting == null) {
            try {
                greeting = RdmaGreeting.of(data);
            } catch (IllegalArgumentException e) {
                giveUp(RdmaFailures.protocol(address, e.getMessage()));
                return;
            }
        }
        announce();
    }

    private void announce() {
        endLimit();
        connection.announce(this::establish);
    }

    /** The connection's worker. */
    private void establish() {
        try {
            connection.establish(greeting, acceptor, result == null);
        } catch (RuntimeException | Error e) {
            LOGGER.warn("A connection of {} was given up", address, e);
            TransportException failure = new TransportException(
                    TransportException.Code.CLOSED, "the connection with " + address + " was given up: " + e, e);
            connection.nic().monitor().execute(() -> giveUp(failure));
            return;
        }
        if (result != null) {
            result.complete(connection);
        }
    }

    @Override
    public void gone() {
        if (connection.isAnnounced()) {
            afterArrivals(connection::peerGone);
        } else {
            giveUp(RdmaFailures.lost(address));
        }
    }

    @Override
    public void failed(int errno) {
        if (connection.isAnnounced()) {
            afterArrivals(() -> connection.operationFailed(errno));
        } else {
            String reason = connection.nic().ofi().strerror(errno);
            giveUp(RdmaFailures.connect(address, errno, reason));
        }
    }

    /** Reports an end after everything that has arrived, as soon as the worker can take that. */
    private void afterArrivals(Runnable report) {
        if (connection.drain()) {
            connection.sink().inOrder(report);
        } else {
            connection.nic().monitor().schedule(() -> afterArrivals(report), RETRY_MS);
        }
    }

    /** Gives up when the connection is not established in time. */
    void limit(long timeoutMs) {
        if (!isAnnounced()) {
            Runnable timeOut = () -> giveUp(RdmaFailures.timeout(address, timeoutMs));
            limit = connection.nic().monitor().schedule(timeOut, timeoutMs);
        }
    }

    private void endLimit() {
        if (limit != null) {
            limit.cancel(false);
        }
    }

    /** The transport is closed. */
    void abort() {
        if (connection.isAnnounced()) {
            connection.sink().inOrder(connection::abort);
        } else {
            giveUp(RdmaFailures.closed("connect to", address));
        }
    }

    private void giveUp(TransportException cause) {
        if (over) {
            return;
        }
        over = true;
        endLimit();
        connection.releaseNow();
        if (result == null) {
            LOGGER.warn("{}", cause.getMessage());
        } else {
            result.completeExceptionally(cause);
        }
    }
}

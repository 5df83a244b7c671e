package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handshake of a connection: exchanges greetings, establishes the connection, and then forwards its events.
 *
 * <p><b>Thread-safety:</b> belongs to the monitor's thread.
 */
final class RdmaHandshake implements RdmaEventQueue.Target, RdmaNic.Child {
    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaHandshake.class);

    private static final long RETRY_MS = 1;

    private enum State {
        /** The peer has not answered, or might not have received this side's answer. */
        WAITING,
        /** The worker has been instructed to establish the connection, and now receives all events. */
        ANNOUNCED,
        /** The connection could not be established. */
        GIVEN_UP
    }

    private final RdmaNic nic;
    private final TransportAcceptor acceptor;
    private final InetSocketAddress address;
    /** The result of the connection attempt; null if the peer initiated the connection. */
    private final CompletableFuture<TransportConnection> result;

    private final RdmaThread worker;
    private final InetSocketAddress remoteAddress;
    private final RdmaConnection connection;
    /** The peer's greeting; null until it has arrived. */
    private RdmaGreeting greeting;

    private Future<?> timeLimit;
    private State state = State.WAITING;

    private RdmaHandshake(
            RdmaNic nic,
            OfiInfo info,
            InetSocketAddress address,
            TransportAcceptor acceptor,
            RdmaGreeting greeting,
            CompletableFuture<TransportConnection> result) {
        this.nic = nic;
        this.acceptor = acceptor;
        this.address = address;
        this.greeting = greeting;
        this.result = result;
        worker = nic.nextWorker();
        // The address is saved because the endpoint might not provide it later: the peer can send its data and
        // disconnect before the connection is established.
        remoteAddress = RdmaAddress.of(info.peerAddress());
        connection = new RdmaConnection(nic, info, worker, result == null, this::beforeCompletion, this::released);
        nic.add(this);
        nic.domain().events().add(connection.fid(), this);
    }

    /**
     * Starts connecting.
     *
     * @param info describes the route to the peer
     * @param result completes with the connection or with the failure
     */
    static void connect(
            RdmaNic nic,
            OfiInfo info,
            InetSocketAddress address,
            TransportAcceptor acceptor,
            CompletableFuture<TransportConnection> result) {
        RdmaHandshake handshake;
        try {
            handshake = new RdmaHandshake(nic, info, address, acceptor, null, result);
        } catch (OfiException e) {
            result.completeExceptionally(RdmaFailures.connect(address, e));
            return;
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
            return;
        }
        try {
            RdmaConnection connection = handshake.connection;
            nic.domain()
                    .ofi()
                    .connect(
                            connection.fid(),
                            info.destinationAddress(),
                            connection.greeting().block());
            handshake.limit();
        } catch (OfiException e) {
            handshake.giveUp(RdmaFailures.connect(address, e));
        }
    }

    /**
     * Accepts a connection request.
     *
     * @param data the peer's private data
     * @param address the address at which the request arrived
     * @throws RuntimeException if the request must be refused
     */
    static void accept(
            RdmaNic nic, OfiInfo request, byte[] data, InetSocketAddress address, TransportAcceptor acceptor) {
        RdmaGreeting greeting = RdmaGreeting.of(data);
        RdmaHandshake handshake = new RdmaHandshake(nic, request, address, acceptor, greeting, null);
        try {
            RdmaConnection connection = handshake.connection;
            nic.domain().ofi().accept(connection.fid(), connection.greeting().block());
            handshake.limit();
        } catch (OfiException e) {
            handshake.giveUp(RdmaFailures.accept(address, e));
        }
    }

    /**
     * Called before a completion is passed to the worker. Data can arrive before the event that reports the connection
     * as established, but the event must be handled first.
     */
    private void beforeCompletion() {
        boolean any = true;
        while (any && state == State.WAITING) {
            any = nic.domain().events().poll();
        }
        if (state == State.WAITING && greeting != null) {
            // The peer is already sending data, so it considers the connection established.
            announce();
        }
    }

    @Override
    public void connected(byte[] data) {
        if (state != State.WAITING) {
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
        state = State.ANNOUNCED;
        endLimit();
        worker.inOrder(this::establish);
    }

    /** Called on the connection's worker. */
    private void establish() {
        try {
            connection.establish(greeting, remoteAddress, acceptor);
        } catch (RuntimeException | Error e) {
            LOGGER.warn("Connection with {} was closed because it could not be established", HostPort.of(address), e);
            TransportException failure = new TransportException(
                    TransportException.Code.CLOSED,
                    "the connection with " + HostPort.of(address) + " could not be established: " + Reason.of(e),
                    e);
            nic.monitor().execute(() -> giveUp(failure));
            return;
        }
        if (result != null) {
            result.complete(connection);
        }
    }

    @Override
    public void gone() {
        if (state == State.ANNOUNCED) {
            afterArrivals(connection::peerGone);
        } else {
            giveUp(RdmaFailures.lost(address));
        }
    }

    @Override
    public void failed(int errno) {
        if (state == State.ANNOUNCED) {
            afterArrivals(() -> connection.operationFailed(errno));
        } else {
            giveUp(RdmaFailures.connect(address, errno, nic.domain().ofi().strerror(errno)));
        }
    }

    /**
     * Runs {@code report} on the worker after all arrivals have been passed to the worker. Retries while the worker has
     * no room.
     */
    private void afterArrivals(Runnable report) {
        if (connection.drain()) {
            worker.inOrder(report);
        } else {
            nic.monitor().schedule(() -> afterArrivals(report), RETRY_MS);
        }
    }

    /** Starts the timeout for establishing the connection. */
    private void limit() {
        if (state == State.WAITING) {
            long timeoutMs = nic.domain().settings().connectTimeoutMs();
            timeLimit = nic.monitor().schedule(() -> giveUp(RdmaFailures.timeout(address, timeoutMs)), timeoutMs);
        }
    }

    private void endLimit() {
        if (timeLimit != null) {
            timeLimit.cancel(false);
        }
    }

    @Override
    public void abort() {
        if (state == State.ANNOUNCED) {
            worker.inOrder(connection::abort);
        } else {
            giveUp(RdmaFailures.closed("connect to", address));
        }
    }

    private void giveUp(TransportException cause) {
        if (state == State.GIVEN_UP) {
            return;
        }
        state = State.GIVEN_UP;
        endLimit();
        connection.releaseNow();
        if (result == null) {
            LOGGER.warn("{}", cause.getMessage());
        } else {
            result.completeExceptionally(cause);
        }
    }

    /** Called before the connection's endpoint is closed. */
    private void released() {
        nic.domain().events().remove(connection.fid());
        nic.remove(this);
    }
}

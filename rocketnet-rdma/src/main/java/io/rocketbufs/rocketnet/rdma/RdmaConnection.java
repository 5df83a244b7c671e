package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.AtomicWord;
import io.rocketbufs.rocketnet.AtomicsExecutor;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An endpoint with its sending and receiving sides. It reports each event once, in order, on the worker.
 *
 * <p>The monitor creates a connection, and the handshake establishes it. A connection is closed in two steps: first by
 * its worker, then by its monitor, which closes the endpoint. {@link RdmaState} shows the transitions.
 *
 * <p><b>Thread-safety:</b> see {@link TransportConnection}; the other methods belong to the worker unless stated
 * otherwise. <b>Ownership:</b> owns the endpoint and its grants.
 *
 * <p><b>Source:</b> RocketBufs 3.5: reliable connections, write-with-immediate.
 */
final class RdmaConnection implements TransportConnection, RdmaEndpoint.Owner {
    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaConnection.class);

    /**
     * Maximum time for a graceful end, during which this side notifies the peer and waits for the peer to finish
     * sending.
     */
    private static final long LINGER_MS = 1_000;

    private static final long RETRY_MS = 1;

    private final RdmaNic nic;
    private final RdmaDomain domain;
    private final RdmaMonitor monitor;
    private final RdmaThread worker;
    private final boolean accepted;
    private final Runnable beforeCompletion;
    private final Runnable onRelease;
    private final RdmaEndpoint endpoint;
    private final RdmaSendingSide sending;
    private final RdmaReceivingSide receiving;
    private final Map<RemoteAccess, RdmaMemory.Registration> grants = new ConcurrentHashMap<>();
    private final AtomicBoolean retrying = new AtomicBoolean();
    private final AtomicReference<RdmaState> state = new AtomicReference<>(RdmaState.ESTABLISHING);
    private InetSocketAddress localAddress;
    private InetSocketAddress remoteAddress;
    private TransportHandler handler;
    private boolean finishReported;

    /**
     * Creates a connection whose endpoint can be connected or accepted, and posts its receives. Must be called on the
     * monitor.
     *
     * @param info describes the endpoint
     * @param accepted true if the peer initiated the connection
     * @param beforeCompletion runs on the monitor before each completion is passed to the worker
     * @param onRelease runs on the monitor before the endpoint is closed
     */
    RdmaConnection(
            RdmaNic nic,
            OfiInfo info,
            RdmaThread worker,
            boolean accepted,
            Runnable beforeCompletion,
            Runnable onRelease) {
        this.worker = worker;
        this.accepted = accepted;
        this.beforeCompletion = beforeCompletion;
        this.onRelease = onRelease;
        this.nic = nic;
        domain = nic.domain();
        monitor = nic.monitor();
        endpoint = new RdmaEndpoint(nic, info, worker, this);
        try {
            sending = new RdmaSendingSide(endpoint);
            receiving = new RdmaReceivingSide(endpoint, sending, worker);
            receiving.postAll();
        } catch (RuntimeException | Error e) {
            endpoint.close();
            throw e;
        }
    }

    long fid() {
        return endpoint.fid();
    }

    /** Returns the greeting that this side sends to the peer. */
    RdmaGreeting greeting() {
        RemoteAccess word = endpoint.receivesWord().access();
        return new RdmaGreeting(domain.receives(), word.address(), word.key());
    }

    /**
     * Passes on all arrivals before the end of the connection is reported. Returns false if there may be more arrivals
     * and the caller must try again. Must be called on the monitor.
     */
    boolean drain() {
        return state.get() == RdmaState.RELEASED || endpoint.drain();
    }

    /** Passes the connection to its user after the peer's greeting has arrived. */
    void establish(RdmaGreeting peer, InetSocketAddress address, TransportAcceptor acceptor) {
        try {
            localAddress = RdmaAddress.of(domain.ofi().getname(endpoint.fid()));
            remoteAddress = address;
            sending.peerIs(peer);
            receiving.peerIs(peer, remoteAddress);
            // The state is changed first, because the acceptor may immediately send data.
            state.set(RdmaState.OPEN);
            handler = Objects.requireNonNull(acceptor.established(this), "the acceptor returned no handler");
            receiving.begin(handler);
        } catch (RuntimeException | Error e) {
            state.set(RdmaState.CLOSED);
            throw e;
        }
    }

    // Called by core.

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public Capabilities capabilities() {
        return domain.capabilities();
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long length) {
        return grant(region, offset, length, Right.ONLY_WRITE);
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long length, Set<Right> rights) {
        for (Right right : rights) {
            need(capabilities().offers(right), right);
        }
        RdmaMemory.Registration registration = domain.memory().grant(region, offset, length, rights);
        RemoteAccess access = new RemoteAccess(registration.base(), registration.key());
        grants.put(access, registration);
        return access;
    }

    @Override
    public void revoke(RemoteAccess access) {
        RdmaMemory.Registration registration = grants.remove(access);
        if (registration != null) {
            registration.close();
        }
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return new RdmaRemoteBuffer(access, capacity, domain.capabilities().vecsPerWrite());
    }

    private boolean isOpen() {
        return state.get() == RdmaState.OPEN;
    }

    @Override
    public PostResult write(WriteRequest request) {
        return isOpen() ? sending.write(request) : PostResult.CLOSED;
    }

    @Override
    public PostResult put(WriteRequest request) {
        return isOpen() ? sending.put(request) : PostResult.CLOSED;
    }

    @Override
    public PostResult read(ReadRequest request) {
        need(Operation.READ);
        request.check(capabilities().longestRead());
        return isOpen() ? sending.read(request) : PostResult.CLOSED;
    }

    @Override
    public PostResult fetchAdd(RemoteBuffer remote, long remoteOffset, long addend, long context) {
        need(Operation.FETCH_ADD);
        remote.checkWord(remoteOffset);
        return isOpen() ? sending.fetchAdd(remote, remoteOffset, addend, context) : PostResult.CLOSED;
    }

    @Override
    public PostResult compareSwap(RemoteBuffer remote, long remoteOffset, long expected, long desired, long context) {
        need(Operation.COMPARE_SWAP);
        remote.checkWord(remoteOffset);
        return isOpen() ? sending.compareSwap(remote, remoteOffset, expected, desired, context) : PostResult.CLOSED;
    }

    @Override
    public AtomicWord atomicWord(Region region, long offset) {
        return domain.traits().needsDeviceForWords()
                ? nic.self(localAddress.getAddress()).word(domain.memory(), region, offset)
                : AtomicWord.ofProcessor(region, offset);
    }

    @Override
    public AtomicsExecutor atomicsExecutor() {
        return domain.traits().needsDeviceForWords() ? new AtomicsExecutor(domain) : AtomicsExecutor.PROCESSOR;
    }

    private void need(Operation operation) {
        need(capabilities().offers(operation), operation);
    }

    private void need(boolean offered, Enum<?> what) {
        if (!offered) {
            throw new UnsupportedOperationException(what + " is not offered by device " + domain.deviceName());
        }
    }

    @Override
    public PostResult send(ByteBuffer message) {
        return isOpen() ? sending.send(message) : PostResult.CLOSED;
    }

    @Override
    public LentWord lendWord() {
        return endpoint.words().lend();
    }

    @Override
    public PostResult writeWord(RemoteAccess word, long value) {
        return isOpen() ? sending.writeWord(word, value) : PostResult.CLOSED;
    }

    @Override
    public int progress() {
        if (isOpen()) {
            sending.progress();
        }
        return 0;
    }

    /** Returns -1: the NIC reads the memory at any time, so writes cannot be withdrawn. */
    @Override
    public int withdraw() {
        return -1;
    }

    @Override
    public void finish() {
        if (isOpen()) {
            sending.finish();
        }
    }

    // Called by the sending and receiving sides, on any thread.

    @Override
    public void postingFailed(String operation, int errno) {
        if (state.compareAndSet(RdmaState.OPEN, RdmaState.BROKEN)) {
            String reason = domain.ofi().strerror(errno);
            worker.execute(() -> fail(RdmaFailures.broken(operation, remoteAddress, errno, reason)));
        }
    }

    @Override
    public void noRoomToPost() {
        if (retrying.compareAndSet(false, true)) {
            worker.schedule(this::retry, RETRY_MS);
        }
    }

    private void retry() {
        retrying.set(false);
        if (state.get().isInUse()) {
            handler.writable();
        }
    }

    // Called for completions and events, on the worker.

    /** Called on the monitor. */
    @Override
    public void beforeCompletion() {
        beforeCompletion.run();
    }

    @Override
    public void completion(long context, long flags, long length, long data) {
        RdmaState now = state.get();
        boolean arrival = (flags & (OfiConstants.FI_RECV | OfiConstants.FI_REMOTE_WRITE)) != 0;
        try {
            if (now.isHealthy() || !arrival && (now == RdmaState.FAILED || now == RdmaState.LINGERING)) {
                receiving.completion(context, flags, length, data);
            } else if (now == RdmaState.LINGERING) {
                receiving.lateArrival(context, flags);
            }
        } catch (Throwable e) {
            handlingFailed(e);
        }
    }

    @Override
    public void batchEnd() {
        RdmaState now = state.get();
        try {
            if (now == RdmaState.LINGERING) {
                lingerOn();
            } else if (now.isInUse()) {
                receiving.batchEnd();
                reportFinish();
            }
        } catch (Throwable e) {
            handlingFailed(e);
        }
    }

    private void reportFinish() {
        if (receiving.isPeerFinished() && !finishReported && state.get().isHealthy()) {
            finishReported = true;
            handler.peerFinished();
        }
    }

    /**
     * Handles a failure. If the user has closed the connection, the failure is not reported; it only ends the
     * lingering.
     */
    private void handlingFailed(Throwable cause) {
        if (state.get() == RdmaState.LINGERING) {
            LOGGER.warn("{}: closed without waiting for the peer: {}", this, Reason.of(cause));
            endLingering();
        } else {
            fail(RdmaFailures.handler(remoteAddress, cause));
        }
    }

    @Override
    public void operationFailed(int errno) {
        if (state.get() == RdmaState.LINGERING) {
            endLingering();
        } else if (!peerIsDone()) {
            fail(RdmaFailures.broken(remoteAddress, errno, domain.ofi().strerror(errno)));
        }
    }

    /** Called after all arrivals when the provider has reported the end of the connection. */
    void peerGone() {
        if (state.get() == RdmaState.LINGERING) {
            endLingering();
        } else if (!peerIsDone()) {
            fail(RdmaFailures.lost(remoteAddress));
        }
    }

    /** Returns whether both sides have finished sending. In that case, the end of the connection is not a failure. */
    private boolean peerIsDone() {
        return finishReported && sending.hasBegunToFinish();
    }

    private void fail(TransportException cause) {
        if (!state.get().isHealthy()) {
            return;
        }
        state.set(RdmaState.FAILED);
        receiving.stop();
        try {
            handler.failed(cause);
        } catch (Throwable e) {
            LOGGER.error("{}: the failure callback threw an exception", HostPort.of(remoteAddress), e);
        }
    }

    /** Called when the transport is being closed. */
    void abort() {
        if (state.get() == RdmaState.LINGERING) {
            endLingering();
        } else {
            fail(RdmaFailures.closed("use connection to", remoteAddress));
        }
    }

    @Override
    public void close() {
        assert worker.inWorker() : "close() must be called on the worker";
        RdmaState now = state.get();
        if (now == RdmaState.LINGERING) {
            endLingering();
        } else if (now.isInUse()) {
            if (mustLinger() && state.compareAndSet(RdmaState.OPEN, RdmaState.LINGERING)) {
                worker.schedule(this::endLingering, LINGER_MS);
                // The peer's answer may already have arrived.
                batchEnd();
            } else {
                release(handler::closed);
            }
        }
    }

    /**
     * Returns whether the connection must linger before it is closed. The last messages must be sent first. With some
     * providers, the side that closes first also resets the connection if it has unread arrivals, and the peer loses
     * data in flight. Therefore the side that initiated the connection closes first, after the other side has finished
     * sending.
     */
    private boolean mustLinger() {
        return sending.isFinishing() || peerIsDone() && accepted;
    }

    private void lingerOn() {
        receiving.lateBatchEnd();
        sending.progress();
        if (!mustLinger()) {
            endLingering();
        }
    }

    /** Ends the lingering. Until the endpoint is closed, the peer may still write to granted memory. */
    private void endLingering() {
        if (state.get() == RdmaState.LINGERING) {
            release(handler::closed);
        }
    }

    /** Releases all resources on the monitor, and then runs a task on this connection's worker. */
    private void release(Runnable then) {
        state.set(RdmaState.CLOSED);
        receiving.stop();
        if (monitor.inWorker()) {
            releaseNow();
            then.run();
            return;
        }
        boolean taken = monitor.tryExecute(() -> {
            releaseNow();
            worker.execute(then);
        });
        if (!taken) {
            // The monitor has ended and has released all resources.
            then.run();
        }
    }

    /** Closes the endpoint. Idempotent. Must be called on the monitor. */
    void releaseNow() {
        if (state.getAndSet(RdmaState.RELEASED) != RdmaState.RELEASED) {
            onRelease.run();
            endpoint.close();
        }
    }

    @Override
    public String toString() {
        return "rdma " + HostPort.of(localAddress) + " -> " + HostPort.of(remoteAddress);
    }
}

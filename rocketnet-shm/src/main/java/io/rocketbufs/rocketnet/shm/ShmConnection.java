package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pair of shared memory areas, one for each direction, and the socket that wakes the peer and detects when the peer
 * disconnects.
 *
 * <p><b>Thread-safety:</b> see {@link TransportConnection}.
 *
 * <p><b>Ownership:</b> owns the socket, both mappings, and the files that the peer shares. A connection never closes
 * itself: after a failure it is no longer read, but it keeps its memory mapped until {@link #close}.
 *
 * <p><b>Source:</b> RocketBufs 3.5. The paper does not describe a shared memory transport.
 */
final class ShmConnection implements TransportConnection, ShmEndpoint {
    /** Capabilities of every shared memory connection. */
    static final Capabilities CAPABILITIES = Capabilities.builder()
            .immediateBits(Integer.SIZE)
            .receiverPlaces(true)
            .lengthWithArrival(true)
            .connectionWithArrival(true)
            .vecsPerWrite(16)
            .longestWrite(ShmLayout.LONGEST_WRITE)
            .longestControl(ShmLayout.LONGEST_CONTROL)
            .injectLength(ShmLayout.LONGEST_WRITE)
            .ordered(true)
            .remoteCpu(true)
            .withdraws(true)
            .operations(Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND, Operation.WRITE_WORD))
            .build();

    private static final Logger LOGGER = LoggerFactory.getLogger(ShmConnection.class);

    private final ShmSocket socket;
    private final ShmMemory incoming;
    private final ShmMemory outgoing;
    private final ShmWorker worker;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress remoteAddress;
    private final ShmSendingSide sending;
    private final ShmSharedFiles shared;
    private final ShmPeerFiles peers;
    private final ShmWords words;

    private TransportHandler handler;
    private ShmReceivingSide receiving;
    private boolean peerEnded;
    private boolean awake;

    /** The state. Only the worker changes it; the sending side reads it. */
    private volatile ShmConnectionState state = ShmConnectionState.OPEN;

    /** True when the sending side must stop writing because the peer has disconnected or has violated the layout. */
    private volatile boolean writesEnded;

    /** True after {@link #finish}. The sending side writes it. */
    private volatile boolean finished;

    /**
     * Creates a connection. It takes ownership of the socket and the mappings, even if this constructor fails.
     *
     * @param sharedFiles maximum number of regions that each side may share with the other at the same time
     */
    ShmConnection(
            ShmSocket socket,
            ShmMemory incoming,
            ShmMemory outgoing,
            ShmWorker worker,
            InetSocketAddress localAddress,
            InetSocketAddress remoteAddress,
            int sharedFiles) {
        this.socket = socket;
        this.incoming = incoming;
        this.outgoing = outgoing;
        this.worker = worker;
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
        sending = new ShmSendingSide(outgoing, socket);
        shared = new ShmSharedFiles(socket, worker, sharedFiles);
        peers = new ShmPeerFiles(sharedFiles);
        words = new ShmWords(incoming);
    }

    /** Obtains the handler and starts receiving. On failure, releases all resources. */
    void begin(TransportAcceptor acceptor) {
        try {
            worker.replace(socket, this);
            handler = Objects.requireNonNull(acceptor.established(this), "the acceptor returned no handler");
            receiving = new ShmReceivingSide(incoming, socket, handler);
            wakeUp();
        } catch (RuntimeException | Error e) {
            if (state != ShmConnectionState.CLOSED) {
                release();
            }
            throw e;
        }
    }

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
        return CAPABILITIES;
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public RemoteAccess grant(Region granted, long offset, long length) {
        return RemoteAccess.NONE;
    }

    @Override
    public RemoteAccess share(Region region, Set<Right> rights) {
        return shared.share(region, rights);
    }

    @Override
    public void revoke(RemoteAccess access) {
        // Otherwise, there is nothing to revoke: the peer can write only to this connection's own memory.
        if (!access.equals(RemoteAccess.NONE)) {
            shared.withdraw(access.key());
        }
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return access.equals(RemoteAccess.NONE)
                ? new RemoteBuffer(access, capacity)
                : new ShmRemoteBuffer(access, capacity, peers);
    }

    @Override
    public PostResult write(WriteRequest request) {
        if (!mayWrite()) {
            return PostResult.CLOSED;
        }
        try {
            return sending.write(request);
        } catch (ShmViolation e) {
            return breakOff(e);
        }
    }

    @Override
    public PostResult send(ByteBuffer message) {
        if (!mayWrite()) {
            return PostResult.CLOSED;
        }
        try {
            return sending.send(message);
        } catch (ShmViolation e) {
            return breakOff(e);
        }
    }

    @Override
    public LentWord lendWord() {
        return words.lend();
    }

    @Override
    public PostResult writeWord(RemoteAccess word, long value) {
        if (!mayWrite()) {
            return PostResult.CLOSED;
        }
        try {
            return sending.writeWord(word, value);
        } catch (ShmViolation e) {
            return breakOff(e);
        }
    }

    private PostResult breakOff(ShmViolation cause) {
        writesEnded = true;
        worker.execute(() -> fail(ShmFailures.badMemory(remoteAddress, cause.getMessage())));
        return PostResult.CLOSED;
    }

    @Override
    public void push() {
        if (mayWrite()) {
            sending.push();
        }
    }

    @Override
    public int progress() {
        return 0;
    }

    @Override
    public int withdraw() {
        return 0;
    }

    @Override
    public void finish() {
        if (mayWrite()) {
            finished = true;
            sending.finish();
        }
    }

    private boolean mayWrite() {
        return !writesEnded && state.writes();
    }

    /** Changes the state. No other method changes it. */
    private void become(ShmConnectionState next) {
        assert worker.inWorker() : "the state may only change on the worker";
        assert state.mayBecome(next) : state + " -> " + next;
        state = next;
        if (receiving != null && !next.reads()) {
            receiving.stop();
        }
    }

    @Override
    public void ready() {
        ShmSocket.Drained drained = socket.drain();
        if (drained == ShmSocket.Drained.NOTICE) {
            peers.noticed(socket.notice(), socket.noticeDescriptor());
        } else if (drained == ShmSocket.Drained.ENDED) {
            peerEnded = true;
            worker.ignore(socket);
        }
        wakeUp();
    }

    private void wakeUp() {
        if (!awake) {
            awake = true;
            worker.wake(this);
        }
    }

    /** Handles a limited amount of the peer's data and events. Returns whether there were any. */
    boolean poll() {
        // Once this side has detected that the peer has disconnected, it sees everything that the peer published before
        // disconnecting.
        boolean last = peerEnded;
        boolean roomReported = reportRoom();
        boolean arrived = read();
        if (last && !arrived && state.writes()) {
            writesEnded = true;
            if (state.reads() || !finished) {
                fail(ShmFailures.lost(remoteAddress));
            }
        }
        return roomReported || arrived;
    }

    private boolean reportRoom() {
        // The order matters: after the end of the connection, its memory is no longer mapped.
        if (!mayWrite() || !sending.takeRoom()) {
            return false;
        }
        try {
            handler.writable();
        } catch (Throwable e) {
            fail(ShmFailures.handler(remoteAddress, e));
        }
        return true;
    }

    private boolean read() {
        if (!state.reads()) {
            return false;
        }
        try {
            ShmReceivingSide.Turn turn = receiving.turn();
            boolean arrived = arrivalsEnd();
            if (turn == ShmReceivingSide.Turn.END && state.reads()) {
                become(ShmConnectionState.PEER_FINISHED);
                handler.peerFinished();
                return true;
            }
            return arrived || turn == ShmReceivingSide.Turn.MORE;
        } catch (ShmViolation e) {
            failAfterArrivals(ShmFailures.badMemory(remoteAddress, e.getMessage()));
        } catch (Throwable e) {
            failAfterArrivals(ShmFailures.handler(remoteAddress, e));
        }
        return true;
    }

    /** Reports the end of a batch of arrivals. Returns whether any data has arrived. */
    private boolean arrivalsEnd() {
        boolean arrived = receiving.takeArrivals();
        if (arrived && state.writes()) {
            handler.arrivalsEnd();
        }
        return arrived;
    }

    private void failAfterArrivals(TransportException cause) {
        try {
            arrivalsEnd();
        } catch (Throwable e) {
            cause.addSuppressed(e);
        }
        fail(cause);
    }

    boolean isClosed() {
        return state == ShmConnectionState.CLOSED;
    }

    /** Stops polling until the peer wakes this side. Returns false if there is something to handle. */
    boolean sleep() {
        boolean asleep = !state.reads() || receiving.sleep();
        awake = !asleep;
        return asleep;
    }

    private void fail(TransportException cause) {
        if (!state.mayBecome(ShmConnectionState.FAILED)) {
            return;
        }
        become(ShmConnectionState.FAILED);
        try {
            handler.failed(cause);
        } catch (Throwable e) {
            LOGGER.error("{}: the failure callback threw an exception", HostPort.of(remoteAddress), e);
        }
    }

    @Override
    public void abort() {
        fail(ShmFailures.closed("use connection to", remoteAddress));
    }

    @Override
    public void close() {
        assert worker.inWorker() : "close() must be called on the worker";
        if (state != ShmConnectionState.CLOSED) {
            release();
            handler.closed();
        }
    }

    /**
     * {@inheritDoc} Another thread may be copying into the peer's memory, and a check would slow down every write.
     * Therefore, the mapping of the peer's memory is replaced instead of removed, and the socket's descriptor stays
     * open until the process exits.
     */
    @Override
    public void abandon() {
        if (state == ShmConnectionState.CLOSED) {
            return;
        }
        become(ShmConnectionState.CLOSED);
        worker.remove(socket);
        endSharing();
        words.close();
        incoming.unmap();
        try {
            outgoing.replace();
        } catch (ShmException e) {
            LOGGER.debug("{} keeps the peer's memory mapped until this process exits", this, e);
        }
        socket.shutDown();
        handler.closed();
    }

    private void release() {
        become(ShmConnectionState.CLOSED);
        worker.remove(socket);
        endSharing();
        socket.close();
        words.close();
        incoming.unmap();
        outgoing.unmap();
    }

    private void endSharing() {
        shared.close();
        peers.close();
    }

    @Override
    public String toString() {
        return "shm " + HostPort.of(localAddress) + " -> " + HostPort.of(remoteAddress);
    }
}

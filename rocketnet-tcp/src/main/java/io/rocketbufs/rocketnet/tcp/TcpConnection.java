package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket with its sending and receiving sides. It reports each event once, in order, on the worker.
 *
 * <p><b>Thread-safety:</b> see {@link TransportConnection}. {@link TransportHandler#writable} is called whenever the
 * socket has space again and a frame, or the unsent rest of a frame, is waiting. This includes a control message that
 * has already been reported as sent.
 *
 * <p><b>Ownership:</b> owns the socket and the region where its sending side keeps I/O lists and copies. A connection
 * never closes itself. After a failure it is no longer read, but it stays open until {@link #close}.
 *
 * <p><b>Source:</b> RocketBufs 3.5: non-blocking sockets, a header before the data.
 */
final class TcpConnection implements TransportConnection, TcpReadiness, TcpEndpoint {
    /** Capabilities of every TCP connection. */
    static final Capabilities CAPABILITIES = Capabilities.builder()
            .immediateBits(Integer.SIZE)
            .receiverPlaces(true)
            .lengthWithArrival(true)
            .connectionWithArrival(true)
            .vecsPerWrite(TcpSocket.VECS_PER_WRITE)
            .longestWrite(TcpFrameLayout.LONGEST_WRITE)
            .longestControl(TcpFrameLayout.LONGEST_CONTROL)
            .ordered(true)
            .remoteCpu(true)
            .withdraws(true)
            .operations(Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND))
            .build();

    private static final Logger LOGGER = LoggerFactory.getLogger(TcpConnection.class);

    /**
     * Maximum time for sending the rest of a frame (at most 256 KiB) when the connection is closed after
     * {@link #finish}.
     */
    private static final long LINGER_MS = 1_000;

    private static final int PRIVATE_OFFSET = TcpSocket.SCRATCH_LENGTH;
    private static final int REGION_LENGTH = PRIVATE_OFFSET + TcpSendingSide.PRIVATE_LENGTH;

    private final TcpSocket socket;
    private final TcpWorker worker;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress remoteAddress;
    private final Region region;
    private final TcpSendingSide sending;
    private final Runnable readOn = this::readOn;

    private TransportHandler handler;
    private TcpReceivingSide receiving;
    private boolean endIsNear;
    private boolean readingOn;
    private TransportException writeFailure;

    /** The state. Only the worker changes it; the sending side reads it. */
    private volatile TcpConnectionState state = TcpConnectionState.OPEN;

    /**
     * True after a failed write. The sending side sets this field before it passes the cause to the worker, which reads
     * the field.
     */
    private volatile boolean writeFailed;

    private TcpConnection(TcpSocket socket, TcpWorker worker, MemoryPool memory) {
        this.socket = socket;
        this.worker = worker;
        localAddress = socket.localAddress();
        remoteAddress = socket.remoteAddress();
        region = memory.allocate(REGION_LENGTH);
        ByteBuffer window = region.window(0, REGION_LENGTH);
        sending = new TcpSendingSide(
                socket,
                memory,
                window.slice(PRIVATE_OFFSET, TcpSendingSide.PRIVATE_LENGTH),
                region.address() + PRIVATE_OFFSET);
        try {
            socket.established(this, window.slice(0, PRIVATE_OFFSET), region.address());
        } catch (RuntimeException | Error e) {
            region.release();
            throw e;
        }
    }

    /**
     * Creates a connection for an established socket that is registered with the worker. Must be called on the worker.
     * On failure, closes the socket.
     */
    static TcpConnection open(
            TcpSocket socket, TcpWorker worker, MemoryPool memory, int directThreshold, TransportAcceptor acceptor) {
        TcpConnection connection;
        try {
            connection = new TcpConnection(socket, worker, memory);
        } catch (RuntimeException | Error e) {
            socket.close();
            throw e;
        }
        connection.begin(acceptor, directThreshold);
        return connection;
    }

    private void begin(TransportAcceptor acceptor, int directThreshold) {
        try {
            if (!worker.add(this)) {
                throw TcpFailures.closed("accept from", remoteAddress);
            }
            handler = Objects.requireNonNull(acceptor.established(this), "the acceptor returned no handler");
            receiving = new TcpReceivingSide(socket, worker.stage(), directThreshold, remoteAddress, handler);
        } catch (RuntimeException | Error e) {
            if (state != TcpConnectionState.CLOSED) {
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
    public X509Certificate peerCertificate() {
        return socket.peerCertificate();
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
    public void revoke(RemoteAccess access) {
        // Nothing to revoke: this side stores the received bytes itself, so no peer can write to its memory.
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return new RemoteBuffer(access, capacity);
    }

    @Override
    public PostResult write(WriteRequest request) {
        if (!mayWrite()) {
            return PostResult.CLOSED;
        }
        try {
            return sending.write(request);
        } catch (IOException e) {
            return breakOff(e);
        }
    }

    @Override
    public void push() {
        if (!mayWrite()) {
            return;
        }
        try {
            sending.push();
        } catch (IOException e) {
            breakOff(e);
        }
    }

    @Override
    public PostResult send(ByteBuffer message) {
        return send(message, false);
    }

    @Override
    public PostResult send(ByteBuffer message, boolean more) {
        if (!mayWrite()) {
            return PostResult.CLOSED;
        }
        try {
            return more ? sending.sendLater(message) : sending.send(message);
        } catch (IOException e) {
            return breakOff(e);
        }
    }

    @Override
    public int progress() {
        if (!mayWrite()) {
            return 0;
        }
        try {
            return sending.progress();
        } catch (IOException e) {
            breakOff(e);
            return 0;
        }
    }

    @Override
    public int withdraw() {
        return sending.withdraw();
    }

    @Override
    public void finish() {
        if (!mayWrite()) {
            return;
        }
        try {
            sending.finish();
        } catch (IOException e) {
            breakOff(e);
        }
    }

    private boolean mayWrite() {
        return !writeFailed && state.writes();
    }

    /**
     * Reports a failed write. Data that the peer sent before it disconnected may still be readable, so the handler
     * receives that data first.
     */
    private PostResult breakOff(IOException cause) {
        writeFailed = true;
        worker.execute(() -> {
            writeFailure = TcpFailures.broken("write to", remoteAddress, cause);
            if (state == TcpConnectionState.OPEN) {
                become(TcpConnectionState.DRAINING);
            }
            readable(true);
        });
        return PostResult.CLOSED;
    }

    /** Changes the state. No other method changes it. */
    private void become(TcpConnectionState next) {
        assert worker.inWorker() : "the state may only change on the worker";
        assert state.mayBecome(next) : state + " -> " + next;
        boolean stopsReading = state.reads() && !next.reads();
        state = next;
        if (stopsReading && receiving != null) {
            receiving.stop();
            socket.stopReading();
        }
    }

    @Override
    public void readable(boolean ended) {
        endIsNear |= ended;
        if (!readingOn) {
            read();
        }
    }

    private void readOn() {
        readingOn = false;
        read();
    }

    private void read() {
        if (!state.reads()) {
            reportWriteFailure();
            return;
        }
        try {
            TcpReceivingSide.Turn turn = receiving.turn(endIsNear);
            arrivalsEnd();
            switch (turn) {
                case MORE -> {
                    readingOn = true;
                    worker.execute(readOn);
                }
                case END -> end();
                default -> reportWriteFailure();
            }
        } catch (IOException e) {
            failAfterArrivals(TcpFailures.broken("read from", remoteAddress, e));
        } catch (Throwable e) {
            String protocol = receiving.otherProtocol();
            failAfterArrivals(
                    protocol == null
                            ? TcpFailures.handler(remoteAddress, e)
                            : TcpFailures.otherProtocol(remoteAddress, protocol));
        }
    }

    /**
     * Handles the end of the peer's data. Between two frames this is a graceful end; within a frame it is a failure.
     */
    private void end() {
        if (!state.reads()) {
            return; // the handler has closed the connection in arrivalsEnd()
        }
        String cut = receiving.cut();
        if (state == TcpConnectionState.DRAINING) {
            fail(writeFailure);
        } else if (!cut.isEmpty()) {
            String protocol = receiving.otherProtocol();
            fail(
                    protocol == null
                            ? TcpFailures.cut(remoteAddress, cut)
                            : TcpFailures.otherProtocol(remoteAddress, protocol));
        } else {
            become(TcpConnectionState.HALF_CLOSED);
            handler.peerFinished();
        }
    }

    private void reportWriteFailure() {
        if (writeFailure != null) {
            fail(writeFailure);
        }
    }

    private void arrivalsEnd() {
        if (receiving.takeArrivals() && !state.isClosed()) {
            handler.arrivalsEnd();
        }
    }

    private void failAfterArrivals(TransportException cause) {
        try {
            arrivalsEnd();
        } catch (Throwable e) {
            cause.addSuppressed(e);
        }
        fail(cause);
    }

    private void fail(TransportException cause) {
        if (!state.mayBecome(TcpConnectionState.FAILED)) {
            return;
        }
        become(TcpConnectionState.FAILED);
        try {
            handler.failed(cause);
        } catch (Throwable e) {
            LOGGER.error("{}: the failure callback threw an exception", HostPort.of(remoteAddress), e);
        }
    }

    @Override
    public void writable() {
        if (state == TcpConnectionState.LINGERING) {
            lingerOn();
            return;
        }
        if (!mayWrite()) {
            return;
        }
        try {
            handler.writable();
        } catch (Throwable e) {
            fail(TcpFailures.handler(remoteAddress, e));
        }
    }

    @Override
    public void abort() {
        endLingering();
        fail(TcpFailures.closed("use connection to", remoteAddress));
    }

    @Override
    public void close() {
        assert worker.inWorker() : "close() must be called on the worker";
        if (state.isClosed()) {
            endLingering();
            return;
        }
        if (sending.isFinishing() && mayWrite()) {
            linger();
        } else {
            release();
        }
        handler.closed();
    }

    /**
     * Continues sending the rest of a committed frame after {@link #close}. First copies the rest to private memory,
     * because the user may release the original memory.
     */
    private void linger() {
        become(TcpConnectionState.LINGERING);
        sending.withdraw();
        worker.schedule(this::endLingering, LINGER_MS);
    }

    private void lingerOn() {
        try {
            sending.progress();
        } catch (IOException e) {
            endLingering();
        }
        if (!sending.isFinishing()) {
            endLingering();
        }
    }

    private void endLingering() {
        if (state == TcpConnectionState.LINGERING) {
            release();
        }
    }

    private void release() {
        become(TcpConnectionState.CLOSED);
        socket.close();
        sending.close();
        region.release();
        worker.remove(this);
    }

    @Override
    public String toString() {
        return "tcp " + HostPort.of(localAddress) + " -> " + HostPort.of(remoteAddress);
    }
}

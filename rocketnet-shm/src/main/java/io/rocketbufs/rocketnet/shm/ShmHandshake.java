package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;

/**
 * The common part of the two sides of a handshake: the socket, the memory through which this side receives, and a time
 * limit.
 *
 * <p><b>Thread-safety:</b> belongs to the worker. <b>Ownership:</b> owns the socket and the memory until the connection
 * is established.
 */
abstract class ShmHandshake implements ShmEndpoint {
    final ShmSettings settings;
    private final ShmPeers peers;
    final ShmWorker worker;
    final TransportAcceptor acceptor;
    private final ByteBuffer packet = ShmCalls.block(ShmGreeting.MAX_LENGTH);

    private ShmSocket socket;
    private ShmMemory incoming;
    private Future<?> timeout;
    private boolean done;

    ShmHandshake(ShmSettings settings, ShmPeers peers, ShmWorker worker, TransportAcceptor acceptor) {
        this.settings = settings;
        this.peers = peers;
        this.worker = worker;
        this.acceptor = acceptor;
    }

    /** Handles the peer's greeting. The caller has checked its version, and keeps ownership of the descriptor. */
    abstract void greeted(ShmGreeting greeting, int descriptor) throws IOException;

    /** Called before the socket is closed because of a failure. */
    void beforeClose(Exception cause) {
        // The connecting side sends no reason to its peer.
    }

    /** Called once if the handshake fails. */
    abstract void failed(Exception cause);

    /** Called when the time limit has expired. Returns the exception to report. */
    abstract TransportException timeout();

    /** Takes ownership of a socket. Its events are reported once the worker watches it. */
    final void own(ShmSocket opened) {
        socket = opened;
        if (!worker.add(opened, this)) {
            throw new TransportException(Code.CLOSED, "the transport is closed");
        }
    }

    final void limitTime() {
        timeout = worker.schedule(() -> fail(timeout()), settings.connectTimeoutMs());
    }

    final boolean isDone() {
        return done;
    }

    final ShmSocket socket() {
        return socket;
    }

    /** Refuses a peer that belongs to another user or group. */
    final void checkPeer() throws ShmException {
        String refusal = peers.refusal(socket);
        if (refusal != null) {
            throw new TransportException(Code.REFUSED, refusal);
        }
    }

    /** Creates the memory through which this side receives, and sends its descriptor with a greeting. */
    final void greet(int number) throws IOException {
        int descriptor = ShmMemory.create(settings.channelLength());
        try {
            incoming = ShmMemory.map(descriptor, settings.channelLength());
            ShmGreeting greeting = ShmGreeting.accepting(settings.channelLength(), number);
            socket.send(greeting.encode(), descriptor);
        } finally {
            ShmSocket.closeDescriptor(descriptor);
        }
    }

    @Override
    public final void ready() {
        if (done) {
            return;
        }
        try {
            ShmSocket.Packet received = socket.receive(packet);
            if (received != null) {
                try {
                    received(received);
                } finally {
                    ShmSocket.closeDescriptor(received.descriptor());
                }
            }
        } catch (IOException | RuntimeException e) {
            fail(e);
        } catch (Error e) {
            fail(new TransportException(Code.IO, "the handshake failed", e));
            throw e;
        }
    }

    private void received(ShmSocket.Packet received) throws IOException {
        if (received.length() == 0) {
            throw new TransportException(Code.PEER_LOST, "the peer closed the connection during the handshake");
        }
        ShmGreeting greeting = ShmGreeting.decode(packet, received.length());
        if (greeting == null) {
            throw new TransportException(Code.PROTOCOL, "the peer does not use the shm transport of RocketBufs");
        }
        if (greeting.version() != ShmLayout.VERSION) {
            throw new TransportException(
                    Code.PROTOCOL,
                    "the peer has version " + greeting.version() + " of the shm transport, but this side has version "
                            + ShmLayout.VERSION + "; use the same release of RocketBufs on both sides");
        }
        greeted(greeting, received.descriptor());
    }

    /** Maps the peer's memory, through which this side sends. */
    final ShmMemory mapPeers(ShmGreeting greeting, int descriptor) throws ShmException {
        String refusal = ShmLayout.isChannelLength(greeting.channelLength())
                ? ShmMemory.refusal(descriptor, greeting.channelLength())
                : "invalid channel length: length=" + greeting.channelLength();
        if (refusal != null) {
            throw new TransportException(Code.PROTOCOL, "the peer's memory is not safe to use: " + refusal);
        }
        return ShmMemory.map(descriptor, greeting.channelLength());
    }

    /** Establishes the connection, which takes ownership of the socket and the memory. */
    final ShmConnection establish(ShmMemory outgoing, InetSocketAddress local, InetSocketAddress remote) {
        finish();
        ShmConnection connection =
                new ShmConnection(socket, incoming, outgoing, worker, local, remote, settings.sharedFiles());
        connection.begin(acceptor);
        return connection;
    }

    /** Returns the loopback address with a port. */
    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port & 0xffff);
    }

    final void fail(Exception cause) {
        if (done) {
            return;
        }
        finish();
        if (socket != null) {
            beforeClose(cause);
            worker.remove(socket);
            socket.close();
        }
        if (incoming != null) {
            incoming.unmap();
        }
        failed(cause);
    }

    private void finish() {
        done = true;
        if (timeout != null) {
            timeout.cancel(false);
        }
    }

    @Override
    public final void abort() {
        fail(new TransportException(Code.CLOSED, "the transport is closed"));
    }

    @Override
    public final void close() {
        abort();
    }
}

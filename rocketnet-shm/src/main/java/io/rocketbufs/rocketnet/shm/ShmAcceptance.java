package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening side of a handshake. */
final class ShmAcceptance extends ShmHandshake {
    private static final Logger LOGGER = LoggerFactory.getLogger(ShmAcceptance.class);
    private static final int NO_DESCRIPTOR = -1;

    private final InetSocketAddress local;
    private final int number;

    /**
     * Creates the listening side.
     *
     * @param local address on which the connection was accepted
     * @param number the port number that identifies the peer
     */
    ShmAcceptance(
            ShmSettings settings,
            ShmPeers peers,
            ShmWorker worker,
            TransportAcceptor acceptor,
            InetSocketAddress local,
            int number) {
        super(settings, peers, worker, acceptor);
        this.local = local;
        this.number = number;
    }

    /** Begins the handshake on an accepted socket. This object takes ownership of the socket. */
    void begin(ShmSocket accepted) {
        try {
            own(accepted);
            worker.watch(accepted);
            limitTime();
        } catch (ShmException | RuntimeException e) {
            fail(e);
        }
    }

    @Override
    void greeted(ShmGreeting greeting, int descriptor) throws IOException {
        checkPeer();
        ShmMemory outgoing = mapPeers(greeting, descriptor);
        try {
            greet(number);
        } catch (IOException | RuntimeException e) {
            outgoing.unmap();
            throw e;
        }
        try {
            establish(outgoing, local, loopback(number));
        } catch (RuntimeException e) {
            LOGGER.warn("A connection accepted on {} was closed after a failure", HostPort.of(local), e);
        }
    }

    @Override
    TransportException timeout() {
        return new TransportException(Code.TIMEOUT, "no greeting within " + settings.connectTimeoutMs() + " ms");
    }

    @Override
    void failed(Exception cause) {
        LOGGER.warn("A connection on {} was refused: {}", HostPort.of(local), ShmFailures.text(cause));
    }

    @Override
    void beforeClose(Exception cause) {
        try {
            socket().send(ShmGreeting.refusing(ShmFailures.text(cause)).encode(), NO_DESCRIPTOR);
        } catch (ShmException e) {
            LOGGER.debug("Cannot send the reason to the peer", e);
        }
    }
}

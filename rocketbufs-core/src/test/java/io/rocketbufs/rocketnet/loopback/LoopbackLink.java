package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * The two ends of an established connection, and the faults injected between them.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class LoopbackLink {
    private final LoopbackNetwork network;
    private final LoopbackConnection client;
    private final LoopbackConnection server;
    private final LoopbackPipe toServer;
    private final LoopbackPipe toClient;

    LoopbackLink(LoopbackTransport connecting, InetSocketAddress local, LoopbackListener listener) {
        network = connecting.network();
        client = new LoopbackConnection(this, connecting, local, listener.address());
        server = new LoopbackConnection(this, listener.transport(), listener.address(), local);
        toServer = pipe(client, server);
        toClient = pipe(server, client);
        client.connect(toServer, toClient);
        server.connect(toClient, toServer);
    }

    private LoopbackPipe pipe(LoopbackConnection from, LoopbackConnection to) {
        return network.options().receiverPlaces()
                ? new LoopbackSocketPipe(this, from, to)
                : new LoopbackOneSidedPipe(this, from, to);
    }

    LoopbackNetwork network() {
        return network;
    }

    /** Returns the connection of the side that initiated the link. */
    public LoopbackConnection client() {
        return client;
    }

    /** Returns the connection of the side that accepted the link. */
    public LoopbackConnection server() {
        return server;
    }

    /** Returns the faults for data that the client sends. */
    public LoopbackFaults toServer() {
        return toServer.faults();
    }

    /** Returns the faults for data that the server sends. */
    public LoopbackFaults toClient() {
        return toClient.faults();
    }

    /** Breaks the connection: both sides fail, and data in transit is lost. */
    public void cut() {
        breakBoth(Code.PEER_LOST, "cut");
    }

    /** Drops everything in both directions, as if both hosts had been disconnected from the network. */
    public void vanish() {
        toServer().drop();
        toClient().drop();
    }

    /** Refuses an access to memory that was not granted. Both sides fail. */
    void refuse(String reason) {
        breakBoth(Code.PROTOCOL, "remote access refused: " + reason);
    }

    private void breakBoth(Code code, String reason) {
        toServer.stop();
        toClient.stop();
        // Both sides store the reason before either side is notified, because the side that is notified first may close
        // the connection and make the other side fail.
        List<LoopbackConnection> broken = Stream.of(client, server)
                .filter(side -> side.breaks(new TransportException(code, reason + ": peer=" + side.remoteAddress())))
                .toList();
        broken.forEach(LoopbackConnection::tellFailure);
    }

    /** Checks, at the end of a test, that each side has taken back the words that it lent. Lent words occupy memory. */
    void checkWords() {
        for (LoopbackConnection side : List.of(client, server)) {
            if (side.words().count() > 0) {
                network.record(new AssertionError(side.words().count() + " words were never taken back: " + side));
            }
        }
    }

    LoopbackConnection peerOf(LoopbackConnection side) {
        return side == client ? server : client;
    }

    LoopbackPipe pipeFrom(LoopbackConnection side) {
        return side == client ? toServer : toClient;
    }

    /** Called when one side has closed, gracefully or abruptly. Notifies the other side as a network would. */
    void closed(LoopbackConnection side, boolean abrupt) {
        LoopbackConnection other = peerOf(side);
        LoopbackPipe out = pipeFrom(side);
        boolean allRead = pipeFrom(other).stop();
        boolean reset = abrupt || !allRead;
        if (reset) {
            out.stop();
        }
        if (!out.senderClosed() || reset) {
            out.stop();
            reset(other);
        }
    }

    /** Notifies one side that the other side has closed, unless the direction is silent. */
    boolean reset(LoopbackConnection side) {
        if (pipeFrom(peerOf(side)).faults().silent()) {
            return false;
        }
        side.fail(new TransportException(Code.PEER_LOST, "closed by the peer: peer=" + side.remoteAddress()));
        return true;
    }
}

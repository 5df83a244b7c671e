package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The connecting side of a handshake. */
final class ShmConnector extends ShmHandshake {
    private static final long RETRY_MS = 10;

    private final InetSocketAddress address;
    private final Path path;
    private final CompletableFuture<TransportConnection> result;

    ShmConnector(
            ShmSettings settings,
            ShmPeers peers,
            ShmWorker worker,
            TransportAcceptor acceptor,
            InetSocketAddress address,
            Path path,
            CompletableFuture<TransportConnection> result) {
        super(settings, peers, worker, acceptor);
        this.address = address;
        this.path = path;
        this.result = result;
    }

    void connect() {
        try {
            own(ShmSocket.open());
            limitTime();
            tryConnect();
        } catch (ShmException | RuntimeException e) {
            fail(e);
        }
    }

    private void tryConnect() {
        if (isDone()) {
            return;
        }
        try {
            if (!socket().connect(path.toString())) {
                // The kernel does not report when the listener has room for another connection.
                worker.schedule(this::tryConnect, RETRY_MS);
                return;
            }
            checkPeer();
            worker.watch(socket());
            greet(0);
        } catch (IOException | RuntimeException e) {
            fail(e);
        }
    }

    @Override
    void greeted(ShmGreeting greeting, int descriptor) throws IOException {
        if (greeting.refusal() != null) {
            throw new TransportException(Code.REFUSED, "refused by the listener: " + greeting.refusal());
        }
        ShmMemory outgoing = mapPeers(greeting, descriptor);
        try {
            result.complete(establish(outgoing, loopback(greeting.number()), address));
        } catch (RuntimeException e) {
            result.completeExceptionally(ShmFailures.connect(address, path, e));
        } catch (Error e) {
            result.completeExceptionally(e);
            throw e;
        }
    }

    @Override
    TransportException timeout() {
        return ShmFailures.connectTimeout(address, settings.connectTimeoutMs());
    }

    @Override
    void failed(Exception cause) {
        if (cause instanceof TransportException failure && failure.code() != Code.TIMEOUT) {
            result.completeExceptionally(ShmFailures.connect(failure.code(), address, failure.getMessage(), failure));
        } else {
            result.completeExceptionally(ShmFailures.connect(address, path, cause));
        }
    }
}

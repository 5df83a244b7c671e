package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The two ends of a connection that does not use core.
 *
 * @param near the end that initiated the connection
 * @param far the end that accepted it
 * @param shares true if the far end shares memory with the near end instead of granting it
 */
record BarePair(BareEnd near, BareEnd far, boolean shares) implements AutoCloseable {

    /** Connects two new transports. */
    static BarePair connect(Stage stage, Region near, Region far) {
        return connect(stage, stage.transport(Stage.config()), stage.transport(Stage.config()), near, far, false);
    }

    /** Connects one transport to another. */
    static BarePair connect(Stage stage, Transport from, Transport to, Region near, Region far, boolean shares) {
        CompletableFuture<BareEnd> accepted = new CompletableFuture<>();
        CompletableFuture<BareEnd> connected = new CompletableFuture<>();
        try (TransportListener listener = to.listen(new InetSocketAddress(stage.host(), 0), connection -> {
            accepted.complete(new BareEnd(connection, far));
            return accepted.join();
        })) {
            Stage.get(from.connect(listener.address(), connection -> {
                connected.complete(new BareEnd(connection, near));
                return connected.join();
            }));
            return new BarePair(Stage.get(connected), Stage.get(accepted), shares);
        }
    }

    /** Grants the near end rights to a part of the far end's region, and returns this part as seen by the near end. */
    RemoteBuffer granted(long offset, long length, Set<Right> rights) {
        return shares ? shared(offset, length, rights) : granting(offset, length, rights);
    }

    private RemoteBuffer shared(long offset, long length, Set<Right> rights) {
        boolean isWhole = offset == 0 && length == far.region().length();
        assumeTrue(isWhole && !rights.contains(Right.WRITE), "memory is shared only as a whole and not for writing");
        RemoteAccess access = far.connection().share(far.region(), rights);
        assertThat(access).isNotEqualTo(RemoteAccess.NONE);
        RemoteBuffer shared = usable(access, length);
        eventually(() -> shared.isReadable() && shared.hasWords() == rights.contains(Right.ATOMIC));
        return shared;
    }

    private RemoteBuffer granting(long offset, long length, Set<Right> rights) {
        return usable(far.connection().grant(far.region(), offset, length, rights), length);
    }

    /** Returns the far end's memory as seen by the near end. */
    RemoteBuffer usable(RemoteAccess access, long length) {
        return near.connection().remoteBuffer(access, length);
    }

    void revoke(RemoteBuffer granted) {
        far.connection().revoke(granted.access());
    }

    void awaitFailure() {
        eventually(() -> near.hasFailed() || far.hasFailed());
    }

    /** Waits until all operations that the near end has posted are complete at the far end. */
    void awaitAll() {
        int before = far.messages();
        near.send((byte) 1);
        eventually(() -> far.messages() == before + 1);
    }

    @Override
    public void close() {
        near.end();
        far.end();
        eventually(() -> near.isClosed() && far.isClosed());
    }
}

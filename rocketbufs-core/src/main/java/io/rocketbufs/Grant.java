package io.rocketbufs;

import io.rocketbufs.grant.GrantedMemory;
import io.rocketbufs.options.Revocation;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Memory of this side that the peer of one connection may use without the help of this side's application.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> made by {@link Connection#grant}; holds a lease on its region
 * until {@link #end} completes.
 */
public final class Grant {
    private final GrantedMemory memory;

    Grant(GrantedMemory memory) {
        this.memory = memory;
    }

    /** Returns the id, 0 to 1,023. It is reused once the peer has confirmed the revocation. */
    public int id() {
        return memory.id();
    }

    /** Returns a new buffer with the description that the peer passes to {@link Connection#remoteMemory}. */
    public ByteBuffer description() {
        return memory.description();
    }

    /**
     * Revokes the grant. The peer stops, waits until its operations have completed, and confirms. If it has not
     * confirmed after {@code timeoutMs}, its access is ended: later operations close the connection. The connection is
     * closed at once if nothing else can keep the peer from reaching the memory: during a write or an answer to a read,
     * and always if the transport cannot stop a write that has begun. May be called again: the new time begins with
     * that call, and replaces the previous one.
     *
     * <p>Memory that the transport shares is an exception: a malicious process keeps what it has been given, and may go
     * on reading a whole file, or changing words ({@link io.rocketbufs.memory.MappedFile#words}).
     *
     * @param timeoutMs how long the peer may take to confirm, in milliseconds; 0 does not wait for it
     * @return a future that completes on the connection's worker when the peer can no longer reach the memory
     */
    public CompletableFuture<Revocation> revoke(long timeoutMs) {
        return memory.revoke(timeoutMs);
    }

    /** Returns the future of {@link #revoke}, which completes at the end of the connection at the latest. */
    public CompletableFuture<Revocation> end() {
        return memory.end();
    }
}

package io.rocketbufs;

import io.rocketbufs.grant.GrantedMemory;
import io.rocketbufs.options.Revocation;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Memory on this side that the peer of one connection may access without involving this side's application.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> created by {@link Connection#grant}; holds a lease on its
 * region until {@link #end} completes.
 */
public final class Grant {
    private final GrantedMemory memory;

    Grant(GrantedMemory memory) {
        this.memory = memory;
    }

    /** Returns the id, 0 to 1,023. The id is reused once the peer has confirmed the revocation. */
    public int id() {
        return memory.id();
    }

    /** Returns a new buffer with the description that the peer passes to {@link Connection#remoteMemory}. */
    public ByteBuffer description() {
        return memory.description();
    }

    /**
     * Revokes the grant. The peer starts no new operations, waits until its outstanding operations have completed, and
     * then confirms the revocation. If the peer has not confirmed within {@code timeoutMs}, its access ends: later
     * operations close the connection. If nothing else can keep the peer from accessing the memory, the connection is
     * closed immediately. This happens during a write or the answer to a read, and always if the transport cannot stop
     * a write that has begun. This method may be called again: a new timeout then starts and replaces the previous one.
     *
     * <p>Memory that the transport shares with the peer's process is an exception. After the revocation, a malicious
     * process can continue to read a file that was granted as a whole, or to change words
     * ({@link io.rocketbufs.memory.MappedFile#words}).
     *
     * @param timeoutMs how long the peer may take to confirm, in milliseconds; 0 to end the access without waiting
     * @return a future that completes on the connection's worker when the peer's access has ended
     */
    public CompletableFuture<Revocation> revoke(long timeoutMs) {
        return memory.revoke(timeoutMs);
    }

    /** Returns the future of {@link #revoke}, which completes no later than the end of the connection. */
    public CompletableFuture<Revocation> end() {
        return memory.end();
    }
}

package io.rocketbufs.rocketnet;

/**
 * Eight bytes of local memory into which the peer of one connection may write a number without involving the local
 * processor.
 *
 * <p>The number is big-endian in memory. A write is atomic: a reader sees either the old number or the new one. A write
 * triggers no event, so the owner must read the number when it needs it.
 *
 * <p><b>Thread-safety:</b> stated by each method. <b>Ownership:</b> created by {@link TransportConnection#lendWord},
 * whose caller must call {@link #takeBack}.
 */
public interface LentWord {
    /**
     * Returns the access that the peer passes to {@link TransportConnection#writeWord}; never
     * {@link RemoteAccess#NONE}.
     */
    RemoteAccess access();

    /**
     * Returns the most recently written number, initially 0, by an acquiring read. Any thread may call this at any
     * time. After {@link #takeBack}, the number no longer changes, even if the memory has been reused.
     */
    long value();

    /**
     * Ends the peer's access. A later write is refused like any write without access, unless the peer may write to all
     * words of its connection. In that case, the write has no effect, unless the word has been lent to the same peer
     * again: then it applies to the new loan. Must be called once, on the worker; calling it after
     * {@link TransportConnection#close()} is allowed.
     */
    void takeBack();
}

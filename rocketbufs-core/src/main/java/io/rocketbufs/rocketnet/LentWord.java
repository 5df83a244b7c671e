package io.rocketbufs.rocketnet;

/**
 * Eight bytes of local memory into which the peer of one connection may write a number without involving the local
 * processor.
 *
 * <p>The number is big-endian in memory. A write is atomic: a reader sees either the old number or the new one. A write
 * triggers no event, so the owner must read the number when it needs it.
 *
 * <p><b>Thread-safety:</b> documented for each method. <b>Ownership:</b> created by
 * {@link TransportConnection#lendWord}; the caller of that method must call {@link #takeBack}.
 */
public interface LentWord {
    /**
     * Returns the access that the peer passes to {@link TransportConnection#writeWord}; never
     * {@link RemoteAccess#NONE}.
     */
    RemoteAccess access();

    /**
     * Returns the most recently written number, initially 0, with acquire semantics. Any thread may call this method at
     * any time. After {@link #takeBack}, the number no longer changes, even if the memory has been reused.
     */
    long value();

    /**
     * Ends the peer's access. A transport that grants access to each word separately refuses later writes. A transport
     * that grants access to all words of a connection at once ignores them. However, if the word's memory has been lent
     * to the same peer again, a late write changes the newly lent word. Must be called once, on the worker, and may be
     * called even after {@link TransportConnection#close()}.
     */
    void takeBack();
}

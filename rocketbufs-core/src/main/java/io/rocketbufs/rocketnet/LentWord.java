package io.rocketbufs.rocketnet;

/**
 * Eight bytes of local memory that the peer of one connection may write a number into, without using the local
 * processor.
 *
 * <p>The number is big-endian in memory. A write replaces it as a whole: a reader sees the old number or the new one. A
 * write triggers no event, so the owner must read the number when it needs it.
 *
 * <p><b>Thread-safety:</b> as each method says. <b>Ownership:</b> created by {@link TransportConnection#lendWord},
 * whose caller must take it back.
 */
public interface LentWord {
    /** Returns what the peer passes to {@link TransportConnection#writeWord}; never {@link RemoteAccess#NONE}. */
    RemoteAccess access();

    /**
     * Returns the number that was written last, 0 at first, by an acquiring read. Any thread may call this at any time.
     * After {@link #takeBack} the number no longer changes, even if the memory is used for something else by then.
     */
    long value();

    /**
     * Ends the peer's right to write. A later write is refused like any write without access, or it has no effect. It
     * has no effect where the peer may write to all words of its connection; if the word has been lent to the same peer
     * again by then, the write counts for the new one. Must be called once, on the worker; calling it after
     * {@link TransportConnection#close()} is allowed.
     */
    void takeBack();
}

package io.rocketbufs.rocketnet;

/**
 * Eight bytes of our memory that the peer of one connection may write a number into, without our processor taking part.
 *
 * <p>In memory the number is big-endian. A write replaces the number as a whole: whoever reads sees the old one or the
 * new one. Nobody is told, so the owner looks when it wants to know.
 *
 * <p><b>Thread-safety:</b> as told per method. <b>Ownership:</b> made by {@link TransportConnection#lendWord}; whoever
 * asked for it takes it back.
 */
public interface LentWord {
    /** What the peer needs for {@link TransportConnection#writeWord}; never {@link RemoteAccess#NONE}. */
    RemoteAccess access();

    /**
     * The number that was written last, 0 at first; an acquiring read. Any thread, at any time: after {@link #takeBack}
     * it stays what it was then, also where the memory is used otherwise by that time.
     */
    long value();

    /**
     * Ends the peer's right to write. A write that comes later all the same is refused like any other without access;
     * or it is without effect, where words of one connection lie in memory that the peer may write as a whole: unless
     * that word has been lent to the same peer anew, and then it counts as written there. Once, on the worker, also
     * after {@link TransportConnection#close()}.
     */
    void takeBack();
}

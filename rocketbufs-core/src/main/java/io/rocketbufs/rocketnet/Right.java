package io.rocketbufs.rocketnet;

import java.util.Set;

/** The operations that a peer may be allowed to perform on granted memory ({@link TransportConnection#grant}). */
public enum Right {
    /** The peer may write. Requires writable memory. */
    WRITE,
    /** The peer may read. */
    READ,
    /**
     * The peer may use atomic operations on words of 8 bytes. Requires writable memory. Devices do not separate this
     * right from the others, so a peer with this right may also be able to read and write the memory.
     */
    ATOMIC;

    /** The right to write, and no other right. */
    public static final Set<Right> ONLY_WRITE = Set.of(WRITE);
}

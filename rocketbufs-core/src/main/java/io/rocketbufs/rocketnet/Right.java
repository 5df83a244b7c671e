package io.rocketbufs.rocketnet;

import java.util.Set;

/** The operations that a peer may be allowed to carry out on granted memory ({@link TransportConnection#grant}). */
public enum Right {
    /** The peer may write. Requires memory that can be written. */
    WRITE,
    /** The peer may read. */
    READ,
    /**
     * The peer may use atomic operations on words of 8 bytes. Requires memory that can be written. Devices do not
     * separate this right from the others, so a peer that has it may be able to read and write the memory as well.
     */
    ATOMIC;

    /** The right to write, and no other. */
    public static final Set<Right> ONLY_WRITE = Set.of(WRITE);
}

package io.rocketbufs.rocketnet;

/**
 * Memory of a peer that this side may use, such as a buffer, as seen by this side's transport. A transport may extend
 * this class with native structures that it prepares once per subscription.
 *
 * <p><b>Ownership:</b> created by {@link TransportConnection#remoteBuffer}, used only with that connection.
 */
public class RemoteBuffer {
    private final RemoteAccess access;
    private final long capacity;

    /** Creates a buffer with the access and the capacity that the peer has sent. */
    public RemoteBuffer(RemoteAccess access, long capacity) {
        this.access = access;
        this.capacity = capacity;
    }

    /** Returns the address and the key that the peer has sent to grant access to the buffer. */
    public final RemoteAccess access() {
        return access;
    }

    /**
     * Checks that a word for atomic operations can begin at an offset.
     *
     * @throws IllegalArgumentException if it is not a multiple of 8, or the word is not inside the buffer
     */
    public final void checkWord(long offset) {
        if (offset < 0 || offset % Long.BYTES != 0 || offset > capacity - Long.BYTES) {
            throw new IllegalArgumentException(
                    "no word of the remote buffer begins here: remoteOffset=" + offset + ", capacity=" + capacity);
        }
    }

    /** Returns the length of the remote buffer in bytes. */
    public final long capacity() {
        return capacity;
    }
}

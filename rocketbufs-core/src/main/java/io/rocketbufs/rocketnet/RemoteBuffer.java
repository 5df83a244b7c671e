package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import java.util.function.LongConsumer;

/**
 * Memory of a peer, such as a buffer, that this side may use through its transport. A transport may extend this class
 * with native structures that it prepares once per subscription.
 *
 * <p><b>Ownership:</b> created by {@link TransportConnection#remoteBuffer}; used only with that connection.
 */
public class RemoteBuffer {
    private final RemoteAccess access;
    private final long capacity;

    /** Creates a buffer with the access and the capacity in bytes that the peer has sent. */
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
     * @throws IllegalArgumentException if the offset is not a multiple of 8, or the word is not inside the buffer
     */
    public final void checkWord(long offset) {
        if (offset < 0 || offset % Long.BYTES != 0 || offset > capacity - Long.BYTES) {
            throw new IllegalArgumentException(
                    "no word of the remote buffer can begin here: remoteOffset=" + offset + ", capacity=" + capacity);
        }
    }

    /** Returns true if this process can currently read the memory directly ({@link #read}). */
    public boolean isReadable() {
        return false;
    }

    /**
     * Copies bytes of the peer's memory into a region, on the calling thread, if the peer has shared the memory
     * ({@link TransportConnection#share}). Bytes read by one call are never older than bytes read by an earlier call,
     * but a read is not ordered with any other operation of the connection. Any thread may call this method, even while
     * the connection is being closed. Allocates nothing.
     *
     * @param offset offset of the bytes in the remote buffer, which must contain the whole range
     * @param length length in bytes, at least 1
     * @param into a writable region on which the caller holds a lease
     * @return false if the memory cannot be read, or can no longer be read; the contents of the range in the region are
     *     then undefined
     */
    public boolean read(long offset, int length, Region into, long intoOffset) {
        return false;
    }

    /** Returns true if this process can currently carry out atomic operations on the memory itself. */
    public boolean hasWords() {
        return false;
    }

    /**
     * Adds to a word of the peer's memory, on the calling thread, if the peer has shared the memory with
     * {@link Right#ATOMIC}. The operation is atomic with respect to those of all processors of this machine, but not
     * ordered with any other operation of the connection. Any thread may call this method, even while the connection is
     * being closed. Allocates nothing.
     *
     * @param offset offset of the word in the remote buffer; a multiple of 8, and inside the buffer
     * @param before called with the number before the addition, during this call; must not throw an exception
     * @return false if this process cannot change the memory, or can no longer change it; in this case, nothing has
     *     changed
     */
    public boolean fetchAdd(long offset, long addend, LongConsumer before) {
        return false;
    }

    /** Sets a word to {@code desired} if it is {@code expected}; otherwise behaves like {@link #fetchAdd}. */
    public boolean compareSwap(long offset, long expected, long desired, LongConsumer before) {
        return false;
    }

    /** Returns the length of the remote buffer in bytes. */
    public final long capacity() {
        return capacity;
    }
}

package io.rocketbufs;

import io.rocketbufs.grant.RemoteTask;
import io.rocketbufs.link.Link;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Right;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Memory that the peer of one connection has granted to this side.
 *
 * <p>Operations are posted: the caller or the connection's worker sends them in the order of posting, and they complete
 * later. Reads and atomic operations are also executed in this order, after all writes that were posted before them. A
 * write that is posted later may overtake them. The completions of reads and atomic operations are reported in the
 * order of posting. An operation outside the memory, or one that the description allows but the owner does not, closes
 * the connection.
 *
 * <p><b>Thread-safety:</b> only one thread at a time may post operations. Another thread may take over after a handover
 * that establishes a happens-before relationship. Any thread may call the other methods. <b>Ownership:</b> created by
 * {@link Connection#remoteMemory}. An outstanding operation holds a lease on its local region.
 */
public final class RemoteMemory {
    /** The highest number that can be passed to {@link #write}. */
    public static final int MAX_NUMBER = 65_535;

    private final Link link;
    private final RemoteTask task;

    RemoteMemory(Link link, RemoteTask task) {
        this.link = link;
        this.task = task;
    }

    /** Returns the length of the memory in bytes. */
    public long length() {
        return task.memory().length();
    }

    /** Returns the rights that the peer has granted to this side. */
    public Set<Right> rights() {
        return task.memory().rights();
    }

    /**
     * Returns true if the transport executes an operation natively. Core emulates all other operations except PUT on
     * the peer's side. The emulation uses the peer's processor time, but runs none of its application's code. For READ,
     * FETCH_ADD and COMPARE_SWAP, the result is also true while this process can access the memory directly
     * ({@link #readDirectly}, {@link #fetchAddDirectly}). Direct access may become possible shortly after the memory
     * has been opened.
     */
    public boolean isNative(Capabilities.Operation operation) {
        boolean isOwn = switch (operation) {
            case READ -> task.isReadable();
            case FETCH_ADD, COMPARE_SWAP -> task.hasWords();
            default -> false;
        };
        if (isOwn) {
            return true;
        }
        Capabilities capabilities = link.capabilities();
        boolean isEmulated = operation == Capabilities.Operation.WRITE_WITH_IMMEDIATE && capabilities.receiverPlaces();
        return !isEmulated && capabilities.offers(operation);
    }

    /** Returns true if an atomic operation, FETCH_ADD or COMPARE_SWAP, can be posted. */
    public boolean offers(Capabilities.Operation operation) {
        return task.canDo(operation);
    }

    /**
     * Posts a write. The peer's callback is invoked when all of the data is in the peer's memory.
     *
     * @param from the region that contains the bytes, which must not change until the write has completed
     * @param length length in bytes, 0 to 1 GiB; a length of 0 only notifies the peer
     * @param offset destination offset in the remote memory
     * @param number passed to the peer's callback, 0 to {@link #MAX_NUMBER}
     * @return POSTED, after which {@link #completedWrites} counts the write once it has completed; otherwise, NO_WINDOW
     *     or CLOSED
     */
    public Posted write(Region from, long fromOffset, int length, long offset, int number) {
        checkTransfer(Right.WRITE, from, fromOffset, length, offset);
        if (number < 0 || number > MAX_NUMBER) {
            throw new IllegalArgumentException("number=" + number + " is not in the range 0 to " + MAX_NUMBER);
        }
        return task.write(from, fromOffset, length, offset, number);
    }

    /**
     * Posts a write without notifying the peer. The data is visible to the peer before any later write or message.
     *
     * @throws UnsupportedOperationException if the transport does not support PUT: see {@link #isNative}
     */
    public Posted put(Region from, long fromOffset, int length, long offset) {
        checkTransfer(Right.WRITE, from, fromOffset, length, offset);
        if (!isNative(Capabilities.Operation.PUT)) {
            throw new UnsupportedOperationException("the transport to " + link.peer() + " does not offer PUT");
        }
        return task.put(from, fromOffset, length, offset);
    }

    /**
     * Posts a read.
     *
     * @param offset source offset in the remote memory
     * @param length length in bytes, 1 byte to 1 GiB
     * @param into the destination region; the application must not use the destination range until the read has
     *     completed
     * @param context passed to the callback, together with the length as the value
     * @return POSTED, NO_WINDOW or CLOSED
     */
    public Posted read(long offset, int length, Region into, long intoOffset, long context) {
        checkRead(offset, length, into, intoOffset);
        return task.read(offset, length, into, intoOffset, context);
    }

    /**
     * Reads immediately, on the calling thread, instead of posting an operation. This is possible if the peer is on
     * this machine, the transport shares memory, and the peer has granted a whole
     * {@link io.rocketbufs.memory.MappedFile} with no right other than {@link Right#READ}. Words can be read under the
     * conditions of {@link #fetchAddDirectly}. This method returns after copying the bytes, and invokes no callback.
     *
     * @param offset source offset in the remote memory
     * @param length length in bytes, 1 byte to 1 GiB
     * @param into the destination region
     * @return true if the bytes are in the region; false if they must be read with {@link #read}, which also shows
     *     whether the memory can still be used. The result is false if this process cannot read the memory, or cannot
     *     read it yet, or if an operation that was posted earlier has not completed. The contents of the destination
     *     range are then undefined
     */
    public boolean readDirectly(long offset, int length, Region into, long intoOffset) {
        checkRead(offset, length, into, intoOffset);
        return task.direct().read(offset, length, into, intoOffset);
    }

    private void checkRead(long offset, int length, Region into, long intoOffset) {
        checkTransfer(Right.READ, into, intoOffset, length, offset);
        if (length == 0 || !into.writable()) {
            throw new IllegalArgumentException(
                    "cannot read: length=" + length + ", region writable=" + into.writable());
        }
    }

    /**
     * Posts an addition to an 8-byte word in the byte order of the peer's machine.
     *
     * @param offset offset of the word in the remote memory; a multiple of 8
     * @param context passed to the callback, together with the word's value before the addition
     * @return POSTED, NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException if the transport supports other atomic operations, but not this one
     */
    public Posted fetchAdd(long offset, long addend, long context) {
        checkWord(Capabilities.Operation.FETCH_ADD, offset);
        return task.fetchAdd(offset, addend, context);
    }

    /**
     * Posts an operation that sets a word to {@code desired} if its value is {@code expected}. Otherwise, behaves like
     * {@link #fetchAdd}.
     */
    public Posted compareSwap(long offset, long expected, long desired, long context) {
        checkWord(Capabilities.Operation.COMPARE_SWAP, offset);
        return task.compareSwap(offset, expected, desired, context);
    }

    /**
     * Adds to a word immediately, on the calling thread, instead of posting an operation. This is possible if the peer
     * is on this machine and the transport shares memory. In addition, the peer must have granted all of the memory
     * created by {@link io.rocketbufs.memory.MappedFile#words}, with {@link Right#ATOMIC} and without
     * {@link Right#WRITE}. Neither the peer's application nor its core is involved.
     *
     * @param offset offset of the word in the remote memory; a multiple of 8
     * @param before called with the word's value before the addition, before this method returns true
     * @return true if the addition has been made; false if it has not and must be posted with {@link #fetchAdd}, for
     *     one of the reasons given at {@link #readDirectly}
     * @throws UnsupportedOperationException under the same condition as {@link #fetchAdd}
     */
    public boolean fetchAddDirectly(long offset, long addend, LongConsumer before) {
        checkWord(Capabilities.Operation.FETCH_ADD, offset);
        return task.direct().fetchAdd(offset, addend, before);
    }

    /**
     * Immediately sets a word to {@code desired} if its value is {@code expected}. Otherwise, behaves like
     * {@link #fetchAddDirectly}. If the result is true, the operation has been executed, even if the word had a
     * different value.
     */
    public boolean compareSwapDirectly(long offset, long expected, long desired, LongConsumer before) {
        checkWord(Capabilities.Operation.COMPARE_SWAP, offset);
        return task.direct().compareSwap(offset, expected, desired, before);
    }

    /**
     * Returns the number of writes and puts that have completed, in the order of posting. The application may reuse the
     * local memory of these operations. Operations interrupted by the end of the connection are never counted. After
     * {@link Connection#closed} has completed, no operation uses local memory.
     */
    public long completedWrites() {
        return task.completedWrites();
    }

    private void checkTransfer(Right right, Region local, long localOffset, int length, long offset) {
        checkRight(right);
        if (length < 0 || length > Region.MAX_RANGE || offset < 0 || offset > length() - length) {
            throw new IllegalArgumentException("the range is not inside the remote memory, or longer than "
                    + Region.MAX_RANGE + ": offset=" + offset + ", length=" + length + ", remote length=" + length());
        }
        if (localOffset < 0 || localOffset > local.length() - length) {
            throw new IllegalArgumentException("the range is not inside the region: offset=" + localOffset + ", length="
                    + length + ", region length=" + local.length());
        }
    }

    private void checkWord(Capabilities.Operation operation, long offset) {
        checkRight(Right.ATOMIC);
        if (offset < 0 || offset % Long.BYTES != 0 || offset > length() - Long.BYTES) {
            throw new IllegalArgumentException(
                    "there is no word at offset=" + offset + " of the remote memory: remote length=" + length());
        }
        if (!task.canDo(operation)) {
            throw new UnsupportedOperationException("the transport to " + link.peer() + " does not offer " + operation);
        }
    }

    private void checkRight(Right right) {
        if (!rights().contains(right)) {
            throw new IllegalStateException("the peer has not granted " + right + ": rights=" + rights());
        }
    }
}

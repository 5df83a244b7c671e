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
 * <p>Operations are posted: they are sent in the order of posting, by the caller or by the connection's worker, and
 * complete later. Reads and atomic operations are carried out in this order too, and after the writes that were posted
 * before them; a write that is posted later may overtake them. Their completions are reported in the order of posting.
 * An operation outside the memory, or one that the description allows but the owner does not, closes the connection.
 *
 * <p><b>Thread-safety:</b> one thread at a time posts; another thread may take over if the application orders their
 * calls; any thread calls the other methods. <b>Ownership:</b> made by {@link Connection#remoteMemory}. An outstanding
 * operation holds a lease on its local region.
 */
public final class RemoteMemory {
    /** Highest number of a write. */
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

    /** Returns the rights of this side. */
    public Set<Right> rights() {
        return task.memory().rights();
    }

    /**
     * Returns true if the transport carries out an operation itself. All others are emulated by core on the peer's
     * side, which takes its processor's time, but calls none of its application's code; PUT is not emulated. For READ,
     * FETCH_ADD and COMPARE_SWAP, the result is also true while this process can use the memory itself
     * ({@link #readDirectly}, {@link #fetchAddDirectly}), which may begin soon after the memory has been opened.
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
     * Posts a write, of which the peer's callback is notified when it is complete in the peer's memory.
     *
     * @param from the region that contains the bytes, which must not change until the write has completed
     * @param length length in bytes, 0 to 1 GiB; a length of 0 only notifies the peer
     * @param offset where the bytes go in the remote memory
     * @param number passed to the peer's callback, 0 to {@link #MAX_NUMBER}
     * @return POSTED; {@link #completedWrites} counts the write when it has completed. Otherwise NO_WINDOW or CLOSED
     */
    public Posted write(Region from, long fromOffset, int length, long offset, int number) {
        checkTransfer(Right.WRITE, from, fromOffset, length, offset);
        if (number < 0 || number > MAX_NUMBER) {
            throw new IllegalArgumentException("number=" + number + " is not in the range 0 to " + MAX_NUMBER);
        }
        return task.write(from, fromOffset, length, offset, number);
    }

    /**
     * Posts a write of which the peer is not notified. It is visible to the peer before any later write or message.
     *
     * @throws UnsupportedOperationException if the transport cannot do this: ask {@link #isNative} for PUT
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
     * @param offset where the bytes are in the remote memory
     * @param length length in bytes, 1 byte to 1 GiB
     * @param into the region that the bytes go to; this range must not be used until the read has completed
     * @param context passed to the callback, with the length as the value
     * @return POSTED, NO_WINDOW or CLOSED
     */
    public Posted read(long offset, int length, Region into, long intoOffset, long context) {
        checkRead(offset, length, into, intoOffset);
        return task.read(offset, length, into, intoOffset, context);
    }

    /**
     * Reads immediately, on the calling thread, instead of posting an operation. Possible if the peer is on this
     * machine, the transport shares memory, and the peer has granted a whole {@link io.rocketbufs.memory.MappedFile},
     * and only {@link Right#READ}; for words, as {@link #fetchAddDirectly}. The call takes as long as copying the bytes
     * takes. There is no callback.
     *
     * @param offset where the bytes are in the remote memory
     * @param length length in bytes, 1 byte to 1 GiB
     * @param into the region that the bytes go to
     * @return true if the bytes are in the region; false if they must be read with {@link #read}, which also tells
     *     whether the memory can still be used: this process cannot read the memory, or not yet, or an operation that
     *     was posted earlier has not completed. The contents of the range in the region are then undefined
     */
    public boolean readDirectly(long offset, int length, Region into, long intoOffset) {
        checkRead(offset, length, into, intoOffset);
        return task.direct().read(offset, length, into, intoOffset);
    }

    private void checkRead(long offset, int length, Region into, long intoOffset) {
        checkTransfer(Right.READ, into, intoOffset, length, offset);
        if (length == 0 || !into.writable()) {
            throw new IllegalArgumentException(
                    "nothing can be read: length=" + length + ", region writable=" + into.writable());
        }
    }

    /**
     * Posts an addition to a word of 8 bytes, in the byte order of the peer's machine.
     *
     * @param offset where the word is in the remote memory; a multiple of 8
     * @param context passed to the callback, with the number before the addition as the value
     * @return POSTED, NO_WINDOW or CLOSED
     * @throws UnsupportedOperationException if the transport has other atomic operations, but not this one
     */
    public Posted fetchAdd(long offset, long addend, long context) {
        checkWord(Capabilities.Operation.FETCH_ADD, offset);
        return task.fetchAdd(offset, addend, context);
    }

    /**
     * Posts an operation that sets a word to {@code desired} if it is {@code expected}; otherwise like
     * {@link #fetchAdd}.
     */
    public Posted compareSwap(long offset, long expected, long desired, long context) {
        checkWord(Capabilities.Operation.COMPARE_SWAP, offset);
        return task.compareSwap(offset, expected, desired, context);
    }

    /**
     * Adds to a word immediately, on the calling thread, instead of posting an operation. Possible if the peer is on
     * this machine, the transport shares memory, and the peer has granted all of the memory that
     * {@link io.rocketbufs.memory.MappedFile#words} has made, with {@link Right#ATOMIC} and without
     * {@link Right#WRITE}. Neither the peer nor its core takes part.
     *
     * @param offset where the word is in the remote memory; a multiple of 8
     * @param before called with the number before the addition, before this method returns true
     * @return true if the word has changed; false if nothing has, and the operation must be posted with
     *     {@link #fetchAdd}, for one of the reasons of {@link #readDirectly}
     * @throws UnsupportedOperationException as {@link #fetchAdd}
     */
    public boolean fetchAddDirectly(long offset, long addend, LongConsumer before) {
        checkWord(Capabilities.Operation.FETCH_ADD, offset);
        return task.direct().fetchAdd(offset, addend, before);
    }

    /**
     * Sets a word to {@code desired} at once if it is {@code expected}; otherwise like {@link #fetchAddDirectly}. The
     * operation has taken place if the result is true, even if the word had another number.
     */
    public boolean compareSwapDirectly(long offset, long expected, long desired, LongConsumer before) {
        checkWord(Capabilities.Operation.COMPARE_SWAP, offset);
        return task.direct().compareSwap(offset, expected, desired, before);
    }

    /**
     * Returns the number of writes and puts that have completed: in the order of posting, the local memory of this many
     * may change. Those that the end of the connection interrupts are never counted; after {@link Connection#closed},
     * nothing uses local memory.
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
                    "no word is at offset=" + offset + " of the remote memory: remote length=" + length());
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

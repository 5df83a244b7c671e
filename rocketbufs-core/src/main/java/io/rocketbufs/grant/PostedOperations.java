package io.rocketbufs.grant;

import io.rocketbufs.options.Posted;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * The posted operations on one memory area of the peer, in a ring that never grows.
 *
 * <pre>
 *   0 ........ freed ................. sent ................. posted
 *              local memory in use     waits to be sent
 * </pre>
 *
 * <p>One bit of the posted position ends the ring. Every operation is therefore either refused, or sent before the
 * memory's owner is notified that the memory is no longer in use. Reads and atomic operations leave the ring once they
 * have been sent; {@link OpenRequests} keeps them until they complete.
 *
 * <p><b>Thread-safety:</b> one thread at a time posts operations, which are sent and freed under the token. Any thread
 * may end the ring.
 */
final class PostedOperations {
    /** Maximum number of posted operations that have not been sent or, for writes, have not completed. */
    private static final int WINDOW = 128;
    /** The bit of the posted position that causes further operations to be refused. */
    private static final long ENDED = 1L << 63;

    private static final VarHandle POSTED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(PostedOperations.class, "posted", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PostedOperation[] ring = new PostedOperation[WINDOW];
    private final Runnable onSpace;
    /** Number of operations posted, and the bit {@link #ENDED}. */
    private volatile long posted;
    /** Number of operations whose slots in the ring have been freed. Written under the token, like the next field. */
    private volatile long freed;

    private volatile long completedWrites;
    private volatile boolean isSpaceWanted;

    // Under the token.
    private long sent;
    /** Number of operations posted up to and including the last completed write. */
    private long writtenEnd;

    /**
     * Creates an empty ring.
     *
     * @param onSpace runs once, on any thread, when half of the ring is free after a refusal
     */
    PostedOperations(Runnable onSpace) {
        this.onSpace = onSpace;
        for (int i = 0; i < WINDOW; i++) {
            ring[i] = new PostedOperation();
        }
    }

    private PostedOperation at(long position) {
        return ring[(int) (position % WINDOW)];
    }

    // Any thread.

    /** Returns the number of writes and puts whose local memory is no longer in use. */
    long completedWrites() {
        return completedWrites;
    }

    boolean isEnded() {
        return posted < 0;
    }

    /** Refuses further operations. */
    void end() {
        POSTED.getAndBitwiseOr(this, ENDED);
    }

    // The posting thread.

    /** Returns true if all operations have been sent, all writes have completed, and the ring has not ended. */
    boolean isIdle() {
        return posted == freed;
    }

    /** Returns the next operation to fill in, or null if there is no room or the ring has ended. */
    PostedOperation claim() {
        long position = posted;
        return position >= 0 && position - freed < WINDOW ? at(position) : null;
    }

    /**
     * Returns the reason why no operation is available. If the ring is full, requests a callback for when there is
     * room.
     */
    Posted refusal() {
        if (isEnded()) {
            return Posted.CLOSED;
        }
        isSpaceWanted = true;
        if (posted - freed <= WINDOW / 2) {
            // Room was made before the request, so the callback may have been omitted.
            tellSpace();
        }
        return Posted.NO_WINDOW;
    }

    /** Posts the claimed operation. Returns the number of operations posted so far, or -1 if the ring has ended. */
    long publish(PostedOperation operation) {
        operation.retain();
        long position = posted;
        if (position < 0 || !POSTED.compareAndSet(this, position, position + 1)) {
            operation.release();
            return -1;
        }
        return position + 1;
    }

    private void tellSpace() {
        isSpaceWanted = false;
        onSpace.run();
    }

    // Under the token.

    private long endPosition() {
        return posted & ~ENDED;
    }

    boolean areAllSent() {
        return sent == endPosition();
    }

    /** Returns true if no further operation is posted after the next one. */
    boolean isNextLast() {
        return sent + 1 == endPosition();
    }

    /** Returns the operation to be sent next. */
    PostedOperation next() {
        return at(sent);
    }

    /** Records that the next operation has been sent. */
    void advance() {
        sent++;
    }

    /** Returns the number of operations sent. */
    long sent() {
        return sent;
    }

    /** Records that the writes among the first {@code end} operations have completed. */
    void written(long end) {
        writtenEnd = Math.max(writtenEnd, end);
        free();
    }

    /** Frees, in order, the slots of operations whose local memory is no longer in use. */
    void free() {
        long from = freed;
        long to = from;
        int writes = 0;
        while (to < sent) {
            PostedOperation oldest = at(to);
            if (oldest.isWrite()) {
                if (to >= writtenEnd) {
                    break;
                }
                writes++;
            }
            oldest.release();
            to++;
        }
        if (to == from) {
            return;
        }
        completedWrites = completedWrites + writes;
        freed = to;
        if (isSpaceWanted && endPosition() - to <= WINDOW / 2) {
            tellSpace();
        }
    }

    /**
     * Releases the local memory of all operations after the connection has ended. The ring must have ended, and the
     * token must be held permanently.
     *
     * @param onUnsent called with each operation that has not been sent completely
     */
    void releaseAll(Consumer<PostedOperation> onUnsent) {
        for (long i = freed; i < endPosition(); i++) {
            PostedOperation operation = at(i);
            if (i >= sent) {
                onUnsent.accept(operation);
            }
            operation.release();
        }
    }
}

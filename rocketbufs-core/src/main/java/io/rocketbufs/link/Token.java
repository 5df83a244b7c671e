package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The right to use one connection's sending side, held by one thread at a time. No thread waits for it: one that comes
 * too late leaves a mark, and the holder looks for work once more before it leaves.
 *
 * <pre>
 *             tryEnter                 tryEnter
 *     FREE ------------&gt; HELD ------------------&gt; MARKED
 *      ^                  | ^                       |
 *      |     tryLeave     | |  tryLeave = false     |
 *      +------------------+ +-----------------------+
 *                         |
 *                         | queue             takeQueued
 *                         +--------&gt; QUEUED -------------&gt; HELD
 * </pre>
 *
 * <p>QUEUED: the token waits for a worker to take it. A thread that cannot wait for the worker may take it first; the
 * worker then finds it gone.
 *
 * <p>A thread that fails to enter has published its work before; the holder's successful {@link #tryLeave} and its look
 * for work after a failed one come later in the total order of volatile operations. So no work is overlooked.
 *
 * <p><b>Thread-safety:</b> {@link #tryEnter} and {@link #takeQueued} by any thread, the rest by the holder.
 */
final class Token {
    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final int MARKED = 2;
    private static final int QUEUED = 3;

    private final AtomicInteger state = new AtomicInteger(FREE);

    /** Takes the token when it is free; otherwise leaves a mark for the holder. Returns true when taken. */
    boolean tryEnter() {
        while (true) {
            int seen = state.get();
            if (seen == FREE) {
                if (state.compareAndSet(FREE, HELD)) {
                    return true;
                }
            } else if (seen != HELD || state.compareAndSet(HELD, MARKED)) {
                return false;
            }
        }
    }

    /** Takes the token away from the worker that it waits for. Returns false when it waits for none. */
    boolean takeQueued() {
        return state.compareAndSet(QUEUED, HELD);
    }

    /** Lets go, unless a mark was left: then the mark is removed, the token kept, and false returned. */
    boolean tryLeave() {
        if (state.compareAndSet(HELD, FREE)) {
            return true;
        }
        state.set(HELD);
        return false;
    }

    /** Leaves the token, with or without a mark, to a worker that must call {@link #takeQueued}. */
    void queue() {
        state.set(QUEUED);
    }
}

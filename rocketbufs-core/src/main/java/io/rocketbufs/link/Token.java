package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The right to use one connection's sending side, held by one thread at a time. No thread waits for the token. A thread
 * that cannot acquire it leaves a mark, and the holder checks for work again before releasing the token.
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
 * <p>In QUEUED, the token waits for a worker to acquire it. A thread that cannot wait for the worker may acquire it
 * first; {@link #takeQueued} then fails on the worker.
 *
 * <p>A thread publishes its work before it tries to enter. If the attempt fails, the holder's next successful
 * {@link #tryLeave}, or its check for work after a failed {@link #tryLeave}, comes later in the total order of volatile
 * operations. The holder therefore sees the work.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #tryEnter} and {@link #takeQueued}; only the holder calls the
 * other methods.
 */
final class Token {
    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final int MARKED = 2;
    private static final int QUEUED = 3;

    private final AtomicInteger state = new AtomicInteger(FREE);

    /** Acquires the token if it is free and returns true. Otherwise, leaves a mark for the holder and returns false. */
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

    /** Acquires the token if it is waiting for a worker; otherwise, returns false. */
    boolean takeQueued() {
        return state.compareAndSet(QUEUED, HELD);
    }

    /** Releases the token and returns true. If a mark was left, removes the mark, keeps the token and returns false. */
    boolean tryLeave() {
        if (state.compareAndSet(HELD, FREE)) {
            return true;
        }
        state.set(HELD);
        return false;
    }

    /** Hands the token, marked or not, to a worker, which must call {@link #takeQueued}. */
    void queue() {
        state.set(QUEUED);
    }
}

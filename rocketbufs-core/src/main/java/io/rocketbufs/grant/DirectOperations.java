package io.rocketbufs.grant;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * The operations on memory of the peer that this process carries out at once, on the calling thread. They never
 * overtake operations that have been posted, and a revocation is confirmed only when none is in progress.
 *
 * <p>An operation has no effect if its result is false: this process cannot use the memory itself, an operation that
 * was posted earlier has not completed, or the memory can no longer be used.
 *
 * <p><b>Thread-safety:</b> the thread that posts. Allocates nothing.
 */
public final class DirectOperations {
    private final RemoteBuffer remote;
    private final PostedOperations operations;
    private final AtomicInteger requestCount;
    private final Runnable onEnd;
    private final LongConsumer onBefore = number -> before = number;
    /** The number before the last atomic operation. */
    private long before;

    /**
     * Creates the operations.
     *
     * @param operations the operations that have been posted
     * @param requestCount number of open requests, which includes an operation in progress
     * @param onEnd run when an operation is over, and no request is open
     */
    DirectOperations(RemoteBuffer remote, PostedOperations operations, AtomicInteger requestCount, Runnable onEnd) {
        this.remote = remote;
        this.operations = operations;
        this.requestCount = requestCount;
        this.onEnd = onEnd;
    }

    /** Reads bytes into a region. If the result is false, the contents of the range in the region are undefined. */
    public boolean read(long offset, int length, Region into, long intoOffset) {
        if (!remote.isReadable() || !begin()) {
            return false;
        }
        try {
            return operations.isIdle() && remote.read(offset, length, into, intoOffset);
        } finally {
            end();
        }
    }

    /**
     * Adds to a word.
     *
     * @param onDone called with the number before the addition, before the result is true
     */
    public boolean fetchAdd(long offset, long addend, LongConsumer onDone) {
        if (!remote.hasWords() || !begin()) {
            return false;
        }
        boolean isDone;
        try {
            isDone = operations.isIdle() && remote.fetchAdd(offset, addend, onBefore);
        } finally {
            end();
        }
        return isDone && report(onDone);
    }

    /** Sets a word to {@code desired} if it is {@code expected}; otherwise like {@link #fetchAdd}. */
    public boolean compareSwap(long offset, long expected, long desired, LongConsumer onDone) {
        if (!remote.hasWords() || !begin()) {
            return false;
        }
        boolean isDone;
        try {
            isDone = operations.isIdle() && remote.compareSwap(offset, expected, desired, onBefore);
        } finally {
            end();
        }
        return isDone && report(onDone);
    }

    /** Called after the operation, so that the receiver may post the next one. */
    private boolean report(LongConsumer onDone) {
        onDone.accept(before);
        return true;
    }

    /**
     * Counts an operation, unless a request is open. The ring of posted operations is looked at first, because its task
     * must not see the count while one of them waits to be sent; and once more afterwards, because it may have ended
     * meanwhile.
     */
    private boolean begin() {
        return operations.isIdle() && requestCount.compareAndSet(0, 1);
    }

    private void end() {
        if (requestCount.decrementAndGet() == 0) {
            onEnd.run();
        }
    }
}

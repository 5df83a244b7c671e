package io.rocketbufs.grant;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * The operations on the peer's memory that this process carries out immediately, on the calling thread. They never
 * overtake posted operations. A revocation is not confirmed while one of them is in progress.
 *
 * <p>A result of false means that the operation had no effect. Either this process cannot access the memory directly,
 * an operation that was posted earlier has not completed, or the memory can no longer be used.
 *
 * <p><b>Thread-safety:</b> the thread that posts. Allocates nothing.
 */
public final class DirectOperations {
    private final RemoteBuffer remote;
    private final PostedOperations operations;
    private final AtomicInteger requestCount;
    private final Runnable onEnd;
    private final LongConsumer onBefore = number -> before = number;
    /** The value of the word before the last atomic operation. */
    private long before;

    /**
     * Creates the operations.
     *
     * @param operations the posted operations on the same memory
     * @param requestCount number of open requests, including a direct operation in progress
     * @param onEnd run when an operation has ended and no request is open
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
     * @param onDone called, before this method returns true, with the value that the word had before the addition
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

    /** Sets a word to {@code desired} if its value is {@code expected}; otherwise behaves like {@link #fetchAdd}. */
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

    /** Invokes the callback after the operation has ended, so that the callback may post the next operation. */
    private boolean report(LongConsumer onDone) {
        onDone.accept(before);
        return true;
    }

    /**
     * Counts an operation if no request is open and no posted operation is outstanding. Checks the ring of posted
     * operations first, because the ring's task must not see the count while an operation waits to be sent. The caller
     * then checks the ring again, because it may have ended in the meantime.
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

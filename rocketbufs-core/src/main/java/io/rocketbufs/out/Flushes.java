package io.rocketbufs.out;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The pending flushes of one buffer: each waits until everything up to a log position has been consumed. Also records
 * the consumed positions of readers that ended before they had consumed everything.
 *
 * <p><b>Thread-safety:</b> any thread, except that {@link #add} and {@link #abandon} are called under the buffer's
 * lock. Futures complete on the thread that reports the consumption.
 */
final class Flushes {
    private final Queue<Flush> pending = new ConcurrentLinkedQueue<>();

    /** Lowest consumed log position of readers that ended before they had consumed everything. */
    private volatile long abandoned = Long.MAX_VALUE;
    /** Position of the log's end when the last of these readers ended. */
    private long abandonedEnd = -1;

    /**
     * A waiting flush. Not a record, because the queue compares flushes by identity, which requires no generated code.
     */
    private static final class Flush {
        private final long target;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        private Flush(long target) {
            this.target = target;
        }
    }

    /**
     * Adds a flush that waits until everything before {@code target} has been consumed. Fails if a reader ended before
     * it had consumed everything, and nothing has been delivered since.
     */
    CompletableFuture<Void> add(int bufferId, long target) {
        if (target <= abandonedEnd && abandoned < target) {
            return CompletableFuture.failedFuture(new IllegalStateException(
                    "a subscriber of buffer " + bufferId + " was lost before it had consumed everything"));
        }
        Flush flush = new Flush(target);
        pending.add(flush);
        return flush.done;
    }

    /**
     * Records that a reader is ending, and the position up to which it has consumed data. Called before the reader is
     * removed, so that no flush succeeds without this reader.
     *
     * @return a consumer that fails the affected flushes with the given reason; must be called without the lock
     */
    Consumer<String> abandon(long consumed, long end) {
        if (consumed < end) {
            abandoned = Math.min(abandoned, consumed);
            abandonedEnd = end;
        }
        return claim(consumed);
    }

    /**
     * Returns the lowest consumed position of a reader that ended before it had consumed everything;
     * {@link Long#MAX_VALUE} if there has been none.
     */
    long abandoned() {
        return abandoned;
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Returns the highest target; -1 if no flush is pending. */
    long target() {
        long target = -1;
        for (Flush flush : pending) {
            target = Math.max(target, flush.target);
        }
        return target;
    }

    /** Completes the flushes whose target is at most {@code consumed}. */
    void succeed(long consumed) {
        for (Flush flush : take(flush -> flush.target <= consumed)) {
            flush.done.complete(null);
        }
    }

    /**
     * Removes the flushes whose target exceeds {@code consumed}, so that they can no longer succeed.
     *
     * @return a consumer that fails these flushes with the given reason
     */
    Consumer<String> claim(long consumed) {
        List<Flush> lost = take(flush -> flush.target > consumed);
        return reason -> lost.forEach(flush -> flush.done.completeExceptionally(new IllegalStateException(reason)));
    }

    private List<Flush> take(Predicate<Flush> which) {
        return pending.isEmpty()
                ? List.of()
                : pending.stream().filter(which).filter(pending::remove).toList();
    }
}

package io.rocketbufs.out;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The pending flushes of one buffer: each waits until everything up to a log position has been consumed.
 *
 * <p><b>Thread-safety:</b> any thread. Futures complete on the thread that reports the consumption.
 */
final class Flushes {
    private final Queue<Flush> pending = new ConcurrentLinkedQueue<>();

    private record Flush(long target, CompletableFuture<Void> done) {}

    /** Adds a flush that waits until everything before {@code target} has been consumed. */
    CompletableFuture<Void> add(long target) {
        Flush flush = new Flush(target, new CompletableFuture<>());
        pending.add(flush);
        return flush.done;
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Returns the highest target; -1 when no flush is pending. */
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
        return pending.stream().filter(which).filter(pending::remove).toList();
    }
}

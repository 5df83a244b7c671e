package io.rocketbufs.out;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The flushes of one buffer that the application waits for: that everything up to a log position is consumed.
 *
 * <p><b>Thread-safety:</b> any thread. Futures complete on the thread that brings the news.
 */
final class Flushes {
    private final Queue<Flush> pending = new ConcurrentLinkedQueue<>();

    private record Flush(long target, CompletableFuture<Void> done) {}

    /** Begins to wait. */
    CompletableFuture<Void> add(long target) {
        Flush flush = new Flush(target, new CompletableFuture<>());
        pending.add(flush);
        return flush.done;
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Returns the highest position waited for; -1 when there is none. */
    long target() {
        long target = -1;
        for (Flush flush : pending) {
            target = Math.max(target, flush.target);
        }
        return target;
    }

    /** Completes what waits for no more than {@code consumed}. */
    void succeed(long consumed) {
        for (Flush flush : take(flush -> flush.target <= consumed)) {
            flush.done.complete(null);
        }
    }

    /**
     * Takes out what waits for more than {@code consumed}, so that it can only fail any more.
     *
     * @return fails it with a reason
     */
    Consumer<String> claim(long consumed) {
        List<Flush> lost = take(flush -> flush.target > consumed);
        return reason -> lost.forEach(flush -> flush.done.completeExceptionally(new IllegalStateException(reason)));
    }

    private List<Flush> take(Predicate<Flush> which) {
        return pending.stream().filter(which).filter(pending::remove).toList();
    }
}

package io.rocketbufs.delivery;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * What applications wait for at one buffer: that everything up to a log position is consumed.
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

    /** The highest position waited for; -1 when there is none. */
    long target() {
        long target = -1;
        for (Flush flush : pending) {
            target = Math.max(target, flush.target);
        }
        return target;
    }

    /** Everything before {@code consumed} is consumed by all. */
    void succeed(long consumed) {
        for (Flush flush : take(flush -> flush.target <= consumed)) {
            flush.done.complete(null);
        }
    }

    /** Somebody left who had consumed only what lies before {@code consumed}. */
    void fail(long consumed, String reason) {
        for (Flush flush : take(flush -> flush.target > consumed)) {
            flush.done.completeExceptionally(new IllegalStateException(reason));
        }
    }

    private Iterable<Flush> take(Predicate<Flush> which) {
        return pending.stream().filter(which).filter(pending::remove).toList();
    }
}

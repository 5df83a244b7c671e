package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.client.RequestException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A request without a reply so far.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class PendingRequest {
    private final long id;
    private final TopicPublisher to;
    private final CompletableFuture<Reply> future = new CompletableFuture<>();
    private volatile boolean published;

    /** Creates a request that has not been published. */
    PendingRequest(long id, TopicPublisher to) {
        this.id = id;
        this.to = to;
    }

    long id() {
        return id;
    }

    TopicPublisher to() {
        return to;
    }

    CompletableFuture<Reply> future() {
        return future;
    }

    /**
     * Passes a task to an executor when the time-out expires before the request is complete. Otherwise, the timer is
     * cancelled. Code that depends on the future must not run on the thread of the timer, because the whole JVM has
     * only one.
     */
    void limit(long timeoutNs, Executor executor, Runnable onTimeout) {
        CompletableFuture<Void> timer = new CompletableFuture<>();
        future.whenComplete((reply, failure) -> timer.complete(null));
        timer.orTimeout(timeoutNs, TimeUnit.NANOSECONDS).exceptionally(expired -> {
            executor.execute(onTimeout);
            return null;
        });
    }

    /** Called when the request is in the publisher's buffer. */
    void published() {
        published = true;
    }

    /** Returns true when a responder may have received the request. */
    boolean isPublished() {
        return published;
    }

    /** Fails the request, unless it is complete. */
    boolean fail(Reason reason, String what) {
        return fail(new RequestException(reason, "request to topic \"" + to.topic() + "\": " + what));
    }

    /** Fails the request, unless it is complete. */
    boolean fail(RequestException failure) {
        return future.completeExceptionally(failure);
    }
}

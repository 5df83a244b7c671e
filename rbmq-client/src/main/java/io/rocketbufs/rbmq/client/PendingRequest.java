package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.client.RequestException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A request that has not received a reply yet.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class PendingRequest {
    private final long id;
    private final TopicPublisher to;
    private final Consumer<PendingRequest> onEnd;
    private final CompletableFuture<Reply> future = new CompletableFuture<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean published;

    /**
     * Creates a request that has not been published.
     *
     * @param onEnd called once, before the future completes. If the application completes or cancels the future, this
     *     action runs directly afterwards
     */
    PendingRequest(long id, TopicPublisher to, Consumer<PendingRequest> onEnd) {
        this.id = id;
        this.to = to;
        this.onEnd = onEnd;
        future.whenComplete((reply, failure) -> end());
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
     * Passes a task to an executor if the timeout expires before the request is complete. Otherwise, the timer is
     * cancelled. Code that depends on the future must not run on the timer's thread, because the whole JVM has only
     * one.
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

    /** Returns true if a responder may have received the request. */
    boolean isPublished() {
        return published;
    }

    /** Fails the request unless it has already ended. */
    void fail(Reason reason, String what) {
        fail(failure(reason, what));
    }

    /** Fails the request unless it has already ended. */
    void fail(RequestException failure) {
        if (end()) {
            future.completeExceptionally(failure);
        }
    }

    /** Returns a failure of this request. */
    RequestException failure(Reason reason, String what) {
        return new RequestException(reason, "request to topic \"" + to.topic() + "\": " + what);
    }

    /**
     * Ends the request. The caller must then count it and complete the future, in this order, so that code depending on
     * the future sees current counters.
     *
     * @return false if the request has already ended, and is or will be completed by another caller
     */
    boolean end() {
        boolean isFirst = ended.compareAndSet(false, true);
        if (isFirst) {
            onEnd.accept(this);
        }
        return isFirst;
    }
}

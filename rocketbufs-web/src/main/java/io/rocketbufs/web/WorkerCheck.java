package io.rocketbufs.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/**
 * The health check of a program's workers. Requests that arrive during a check share its result without waiting for it,
 * so a large number of requests costs no more than one, and a worker that does not respond blocks at most one thread.
 *
 * <p><b>Thread-safety:</b> any thread except the workers.
 */
public final class WorkerCheck {
    /** A worker that does not respond within this time is reported. */
    private static final long TIMEOUT_MS = 2000;

    private final LongFunction<List<String>> workers;
    private final AtomicReference<CompletableFuture<List<String>>> running = new AtomicReference<>();

    /**
     * Creates a check.
     *
     * @param workers waits up to the given number of milliseconds for all workers to respond, and returns those that
     *     did not
     */
    public WorkerCheck(LongFunction<List<String>> workers) {
        this.workers = workers;
    }

    /**
     * Checks whether all workers respond. If a check is in progress, returns its result immediately; otherwise, blocks
     * for up to 2 s, and returns a completed future.
     *
     * @return the workers that did not respond; empty if all responded
     */
    public CompletableFuture<List<String>> unresponsiveWorkers() {
        CompletableFuture<List<String>> own = new CompletableFuture<>();
        CompletableFuture<List<String>> earlier = running.compareAndExchange(null, own);
        if (earlier != null) {
            return earlier;
        }
        List<String> result = null;
        Throwable failure = null;
        try {
            result = workers.apply(TIMEOUT_MS);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        // Later requests begin another check; those that share this one may take long to be answered.
        running.set(null);
        if (failure == null) {
            own.complete(result);
        } else {
            own.completeExceptionally(failure);
        }
        return own;
    }

    /**
     * Makes a check like {@link #unresponsiveWorkers}, and returns the page that answers a health check.
     *
     * @param state state that is checked, such as "ready"
     */
    public CompletableFuture<Page> page(String state) {
        return unresponsiveWorkers().thenApply(unresponsive -> Page.health(state, unresponsive));
    }
}

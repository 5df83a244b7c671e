package io.rocketbufs.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/**
 * The health check of a program's workers. Requests that arrive during a check share the check's result without
 * blocking. Therefore, many requests cost no more than one, and an unresponsive worker blocks at most one thread.
 *
 * <p><b>Thread-safety:</b> any thread except the workers may use it.
 */
public final class WorkerCheck {
    /** Time in ms within which a worker must respond. Otherwise, it is reported. */
    private static final long TIMEOUT_MS = 2000;

    private final LongFunction<List<String>> workers;
    private final AtomicReference<CompletableFuture<List<String>>> running = new AtomicReference<>();

    /**
     * Creates a check.
     *
     * @param workers waits up to the given number of milliseconds for all workers to respond, and returns the workers
     *     that did not
     */
    public WorkerCheck(LongFunction<List<String>> workers) {
        this.workers = workers;
    }

    /**
     * Checks whether all workers respond. If a check is already in progress, immediately returns that check's future.
     * Otherwise, blocks for up to 2 s and returns a completed future.
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
        // Later requests must start a new check, because completing the requests that share this check may take long.
        running.set(null);
        if (failure == null) {
            own.complete(result);
        } else {
            own.completeExceptionally(failure);
        }
        return own;
    }

    /**
     * Performs a check like {@link #unresponsiveWorkers}, and returns the page that answers a health check.
     *
     * @param state name of the checked state, such as "ready"
     */
    public CompletableFuture<Page> page(String state) {
        return unresponsiveWorkers().thenApply(unresponsive -> Page.health(state, unresponsive));
    }
}

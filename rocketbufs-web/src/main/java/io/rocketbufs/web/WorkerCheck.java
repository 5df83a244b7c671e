package io.rocketbufs.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/**
 * The health check of a program's workers. Requests that arrive during a check share it, so many requests cost no more
 * than one.
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
     * Checks whether all workers respond, or waits for the check in progress. Blocks for up to 2 s.
     *
     * @return the workers that did not respond; empty if all responded
     */
    public List<String> unresponsiveWorkers() {
        CompletableFuture<List<String>> own = new CompletableFuture<>();
        CompletableFuture<List<String>> earlier = running.compareAndExchange(null, own);
        if (earlier != null) {
            return earlier.join();
        }
        try {
            own.complete(workers.apply(TIMEOUT_MS));
        } catch (RuntimeException | Error e) {
            own.completeExceptionally(e);
        } finally {
            running.set(null);
        }
        return own.join();
    }
}

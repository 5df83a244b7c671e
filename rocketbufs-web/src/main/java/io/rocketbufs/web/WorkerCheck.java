package io.rocketbufs.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/**
 * The health check of a program's workers. Requests that arrive during a check share it, so that many of them cost no
 * more than one.
 *
 * <p><b>Thread-safety:</b> any thread but the workers.
 */
public final class WorkerCheck {
    /** A worker that does not answer for this long is reported. */
    private static final long TIMEOUT_MS = 2000;

    private final LongFunction<List<String>> workers;
    private final AtomicReference<CompletableFuture<List<String>>> running = new AtomicReference<>();

    /**
     * Creates a check.
     *
     * @param workers waits up to a number of milliseconds for the answers of all workers, and returns the workers that
     *     gave none
     */
    public WorkerCheck(LongFunction<List<String>> workers) {
        this.workers = workers;
    }

    /**
     * Asks all workers for an answer, or waits for the check that is running; blocks for up to 2 s.
     *
     * @return the workers that did not answer; empty when all are responsive
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

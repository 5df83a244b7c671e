package io.rocketbufs.rbmq.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Round trips to the broker, one at a time. Calls made during a round trip share the next one.
 *
 * <p><b>Thread-safety:</b> any thread; futures are completed without the lock.
 */
final class SharedRoundTrips {
    private final Supplier<CompletableFuture<Void>> roundTrip;

    // Guarded by this object's lock.
    private boolean running;
    /** The result of the next round trip; null if no caller is waiting for it. */
    private CompletableFuture<Void> next;

    /**
     * Creates an object that has not started a round trip.
     *
     * @param roundTrip starts a round trip and returns a future that must complete
     */
    SharedRoundTrips(Supplier<CompletableFuture<Void>> roundTrip) {
        this.roundTrip = roundTrip;
    }

    /** Returns the result of a round trip that starts after this call. */
    CompletableFuture<Void> begin() {
        CompletableFuture<Void> result;
        synchronized (this) {
            if (next == null) {
                next = new CompletableFuture<>();
            }
            result = next;
            if (running) {
                return result;
            }
            running = true;
        }
        run();
        return result;
    }

    private void run() {
        CompletableFuture<Void> due;
        synchronized (this) {
            due = next;
            next = null;
            running = due != null;
        }
        if (due != null) {
            roundTrip.get().whenComplete((nothing, failure) -> {
                if (failure == null) {
                    due.complete(null);
                } else {
                    due.completeExceptionally(failure);
                }
                run();
            });
        }
    }
}

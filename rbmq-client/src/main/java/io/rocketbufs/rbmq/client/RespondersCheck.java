package io.rocketbufs.rbmq.client;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A check whether the requests to one topic have lost all their responders. It begins when the broker has reported that
 * the topic has no subscribers, and when a request is published although it has none.
 *
 * <p>That report alone is not enough to fail requests. It arrives over a different connection from the replies, so it
 * may overtake the last reply of a responder that has left. It may also be older than a responder that has just
 * subscribed. Therefore two round trips follow:
 *
 * <ol>
 *   <li>The broker confirms that it has consumed the requests. Reports about responders that subscribed before have
 *       usually arrived by then, or within the second round trip. On a congested connection a report may come later,
 *       because confirmations do not pass through the queue of control messages. The check then fails a request that a
 *       responder has received.
 *   <li>The broker answers on the connection of replies. Replies that it sent before have arrived by then. A responder
 *       that closes waits until the broker has sent its replies, before it unsubscribes.
 * </ol>
 *
 * The requests that were published before the check fail if the topic still has no subscribers after that. If it has
 * some again, whether one of them received the requests is unknown, and their time-outs apply. One check runs at a
 * time; those that are requested in the meantime are combined into one.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RespondersCheck {
    private final Supplier<CompletableFuture<Void>> requestsConsumed;
    private final Supplier<CompletableFuture<Void>> repliesArrived;
    private final BooleanSupplier hasSubscribers;
    private final Consumer<PendingRequest> onNobody;

    /** The requests to the topic that are not complete. */
    private final Set<PendingRequest> requests = ConcurrentHashMap.newKeySet();

    // Guarded by this object's lock.
    private boolean running;
    private boolean again;

    /**
     * Creates a check that is not running, without requests.
     *
     * @param requestsConsumed begins the first round trip
     * @param repliesArrived begins the second round trip
     * @param onNobody receives each request that has no responders
     */
    RespondersCheck(
            Supplier<CompletableFuture<Void>> requestsConsumed,
            Supplier<CompletableFuture<Void>> repliesArrived,
            BooleanSupplier hasSubscribers,
            Consumer<PendingRequest> onNobody) {
        this.requestsConsumed = requestsConsumed;
        this.repliesArrived = repliesArrived;
        this.hasSubscribers = hasSubscribers;
        this.onNobody = onNobody;
    }

    void add(PendingRequest request) {
        requests.add(request);
    }

    void remove(PendingRequest request) {
        requests.remove(request);
    }

    /** Returns the requests that a responder may have received. */
    List<PendingRequest> published() {
        return requests.stream().filter(PendingRequest::isPublished).toList();
    }

    /** Begins a check of all requests published so far, or another one after the one that is running. */
    void begin() {
        synchronized (this) {
            if (running) {
                again = true;
                return;
            }
            running = true;
        }
        run();
    }

    private void run() {
        List<PendingRequest> suspects = published();
        if (suspects.isEmpty()) {
            conclude(suspects);
            return;
        }
        // A round trip that fails ends the check, too. The end of the connection has failed the requests by then.
        requestsConsumed
                .get()
                .handle((nothing, failure) -> null)
                .thenCompose(nothing -> hasSubscribers.getAsBoolean()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : repliesArrived.get())
                .whenComplete((nothing, failure) -> conclude(failure == null ? suspects : List.of()));
    }

    private void conclude(List<PendingRequest> suspects) {
        if (!hasSubscribers.getAsBoolean()) {
            suspects.forEach(onNobody);
        }
        synchronized (this) {
            running = again;
            again = false;
            if (!running) {
                return;
            }
        }
        run();
    }
}

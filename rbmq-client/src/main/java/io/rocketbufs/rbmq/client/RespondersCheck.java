package io.rocketbufs.rbmq.client;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A check of whether the requests to one topic have lost all their responders. It starts when the broker reports that
 * the topic has no subscribers, or when a request is published to a topic without subscribers.
 *
 * <p>The broker's report alone is not enough to fail requests. It arrives over a different connection from the replies,
 * so it may overtake the last reply of a responder that has left. It may also predate a responder that has just
 * subscribed. Two round trips therefore follow:
 *
 * <ol>
 *   <li>The broker confirms that it has consumed the requests. Reports about responders that subscribed earlier have
 *       usually arrived by then, or arrive during the second round trip. On a congested connection, a report may come
 *       later, because confirmations bypass the queue of control messages. The check then fails a request even though a
 *       responder has received it.
 *   <li>The broker answers on the connection that carries replies. Replies that it sent earlier have arrived by then. A
 *       responder that closes does not unsubscribe until the broker has sent its replies.
 * </ol>
 *
 * If the topic still has no subscribers after that, the requests published before the check fail. If it has subscribers
 * again, it is unknown whether one of them received the requests, and the requests' timeouts apply. One check runs at a
 * time; checks requested in the meantime are combined into one.
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
     * @param requestsConsumed starts the first round trip
     * @param repliesArrived starts the second round trip
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

    /** Starts a check of all requests published so far. If a check is running, starts another one after it. */
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
        // A failed second round trip ends the check, too, because the end of the connection has failed the requests.
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

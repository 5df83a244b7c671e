package io.rocketbufs.rbmq.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The requests and responders of a client, which exist from their first use on. Both need both connections.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RequestReply {
    private final Supplier<Publisher> publisher;
    private final Supplier<Subscriber> subscriber;

    // Created under this object's lock, after the connections, which are opened without it.
    private volatile Requests requests;
    private volatile Replies replies;
    private volatile boolean closed;

    /**
     * Creates an object that does nothing yet.
     *
     * @param publisher returns the open connection that publishes, or opens it
     * @param subscriber returns the open connection that subscribes, or opens it
     */
    RequestReply(Supplier<Publisher> publisher, Supplier<Subscriber> subscriber) {
        this.publisher = publisher;
        this.subscriber = subscriber;
    }

    CompletableFuture<Reply> request(String topic, Headers headers, byte[] request, Duration timeout) {
        return requests().request(topic, headers, request, timeout);
    }

    private Requests requests() {
        Requests known = requests;
        if (known != null) {
            return known;
        }
        Publisher publishing = publisher.get();
        Subscriber subscribing = subscriber.get();
        synchronized (this) {
            if (requests == null) {
                requests = new Requests(publishing, subscribing);
                if (closed) {
                    requests.close();
                }
            }
            return requests;
        }
    }

    Responder respond(String filter, RequestHandler handler, SubscriptionOptions options) {
        if (options.start().isOlder()) {
            throw new IllegalArgumentException("start=" + options.start()
                    + ": a responder begins with live requests, because older ones may have been executed");
        }
        Publisher publishing = publisher.get();
        Subscriber subscribing = subscriber.get();
        synchronized (this) {
            if (replies == null) {
                replies = new Replies(publishing, subscribing);
            }
        }
        return new Responder(subscribing, replies, filter, handler, options);
    }

    RequestCounts counts() {
        Requests made = requests;
        Replies sent = replies;
        return new RequestCounts(
                made == null ? 0 : made.requestCount(),
                made == null ? 0 : made.inFlightCount(),
                made == null ? 0 : made.repliedCount(),
                made == null ? 0 : made.timeoutCount(),
                made == null ? 0 : made.strayCount(),
                sent == null ? 0 : sent.sentCount(),
                sent == null ? 0 : sent.droppedCount(),
                sent == null ? 0 : sent.refusedCount());
    }

    /**
     * Fails all requests, passes no further ones to responders, and waits until the handlers in progress have returned
     * and the broker has consumed the replies. If the thread is interrupted, its interrupt status is set.
     *
     * @param limitMs maximum wait in milliseconds
     * @return the rest of this time
     */
    long close(long limitMs) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        Requests made;
        synchronized (this) {
            closed = true;
            made = requests;
        }
        if (made != null) {
            made.close();
        }
        Replies sent = replies;
        if (sent != null) {
            try {
                sent.close().get(limitMs, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // The rest is dropped.
            }
        }
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
    }
}

package io.rocketbufs.rbmq.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The requests and responders of a client, which are created on first use. Both require both connections.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RequestReply {
    private final Supplier<Publisher> publisher;
    private final Supplier<Subscriber> subscriber;

    // Created under this object's lock, after the connections have been opened without the lock.
    private volatile Requests requests;
    private volatile Replies replies;
    private volatile boolean closed;

    /**
     * Creates an object without requests and responders.
     *
     * @param publisher returns the connection that publishes, opening it if necessary
     * @param subscriber returns the connection that subscribes, opening it if necessary
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
     * Fails all requests, stops passing requests to responders, and waits until the handlers in progress have returned
     * and the broker has consumed the replies. If the thread is interrupted, its interrupt status is set.
     *
     * @param limitMs maximum wait in milliseconds
     * @return the remaining part of this time in milliseconds
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
                // The remaining replies are dropped.
            }
        }
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
    }
}

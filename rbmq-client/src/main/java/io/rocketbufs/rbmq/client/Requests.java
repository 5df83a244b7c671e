package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.client.RequestException.Reason;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The requests of one client, and its inbox. A request is a message with the headers {@code reply-to}, the inbox;
 * {@code correlation}, by which its reply is recognized; and {@code expires}, the end of its time-out.
 *
 * <p>A request is published once. Responders reply into the inbox. Requests that are made before the broker has
 * accepted the subscription to the inbox wait here, because replies would be lost without it.
 *
 * <pre>
 *   waiting ---the inbox is live---&gt; in flight ---reply, time-out, no responders, loss, close---&gt; complete
 *      |                                                                                           ^
 *      +------------------------------- time-out, loss, close -------------------------------------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread; futures are completed without locks. <b>Ownership:</b> owns the subscription to
 * the inbox, but not the connections, whose end fails all requests.
 */
final class Requests {
    private final Publisher publisher;
    private final Subscriber subscriber;
    private final String inbox;
    private final Map<Long, PendingRequest> inFlight = new ConcurrentHashMap<>();
    private final Map<TopicPublisher, RespondersCheck> checks = new ConcurrentHashMap<>();
    private final SharedRoundTrips repliesArrived = new SharedRoundTrips(this::probe);
    /** Random ids, because a client that has received one request must not be able to reply to others. */
    private final SecureRandom ids = new SecureRandom();

    private final LongAdder requestCount = new LongAdder();
    private final LongAdder repliedCount = new LongAdder();
    private final LongAdder timeoutCount = new LongAdder();
    private final LongAdder strayCount = new LongAdder();
    /** Why requests fail from now on; null while they are accepted. */
    private volatile End end;

    // Guarded by this object's lock.
    private List<Waiting> waiting = new ArrayList<>();
    private long waitingLength;
    private boolean live;

    /** Why all requests fail. */
    private record End(Reason reason, String why) {}

    /** A request that waits for the inbox, with copies of its content. */
    private record Waiting(PendingRequest request, Headers headers, byte[] payload) {}

    /** Subscribes to the inbox without waiting for it. */
    Requests(Publisher publisher, Subscriber subscriber) {
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.inbox = subscriber.broker().inbox();
        publisher.closed().whenComplete((nothing, lost) -> endBy(lost));
        subscriber.closed().whenComplete((nothing, lost) -> endBy(lost));
        if (inbox.isEmpty()) {
            end(Reason.REFUSED, "the broker does not support requests, and gave this client no inbox; upgrade it");
        } else {
            subscriber.subscribeToInbox(this::onReply).ready().whenComplete((nothing, refused) -> onInbox(refused));
        }
    }

    private void onInbox(Throwable refused) {
        if (refused != null) {
            Reason reason = isRefusal(refused) ? Reason.REFUSED : Reason.NOT_CONNECTED;
            end(reason, "the client has no inbox for replies: " + refused.getMessage());
        }
        sendWaiting();
    }

    private static boolean isRefusal(Throwable failure) {
        return failure instanceof TransportException known && known.code() == TransportException.Code.REFUSED;
    }

    // Requests.

    /** Publishes a request; see {@link RbmqClient#request(String, Headers, byte[], Duration)}. */
    CompletableFuture<Reply> request(String topic, Headers given, byte[] payload, Duration timeout) {
        long timeoutNs = nanos(timeout);
        if (!publisher.settings().flowControl()) {
            throw new IllegalStateException("rbmq.publisher.flow-control=off: without flow control, requests may be"
                    + " overwritten; use a client with flow control");
        }
        TopicPublisher to = publisher.topic(topic);
        PendingRequest request = new PendingRequest(nextId(), to, this::forget);
        Headers headers = headers(given, request.id(), timeoutNs);
        checkLength(to, headers, payload);
        requestCount.increment();
        checks.computeIfAbsent(to, this::watch).add(request);
        inFlight.put(request.id(), request);
        request.limit(timeoutNs, publisher::execute, () -> onTimeout(request, timeout));
        End known = end;
        if (known != null) {
            request.fail(known.reason(), known.why());
        } else if (!waits(request, headers, payload)) {
            send(request, headers, payload);
        }
        return request.future();
    }

    private void forget(PendingRequest request) {
        inFlight.remove(request.id());
        checks.get(request.to()).remove(request);
    }

    private static long nanos(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout=" + timeout + " is not positive");
        }
        return TimeUnit.NANOSECONDS.convert(timeout);
    }

    /** Returns an id that no request in flight has; not 0, which stands for none. */
    private long nextId() {
        long id = ids.nextLong();
        return id == 0 || inFlight.containsKey(id) ? nextId() : id;
    }

    private Headers headers(Headers given, long id, long timeoutNs) {
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(timeoutNs) + 1; // rounded up
        return new Headers(given)
                .set(HeaderKey.REPLY_TO, inbox)
                .set(
                        HeaderKey.CORRELATION,
                        ByteBuffer.allocate(Long.BYTES).putLong(id).array())
                .set(HeaderKey.EXPIRES, System.currentTimeMillis() + timeoutMs);
    }

    private static void checkLength(TopicPublisher to, Headers headers, byte[] payload) {
        if (payload.length > to.longestMessage() - headers.encodedLength()) {
            throw new IllegalArgumentException("request.length=" + payload.length + " headers.encodedLength="
                    + headers.encodedLength() + " longestMessage=" + to.longestMessage() + " topic=" + to.topic());
        }
    }

    /** Follows the interest in a topic, and its refusal, from the first request on. */
    private RespondersCheck watch(TopicPublisher to) {
        RespondersCheck check = new RespondersCheck(
                () -> publisher.flush(to),
                repliesArrived::begin,
                to::hasSubscribers,
                request -> request.fail(new NoRespondersException(to.topic())));
        publisher.onInterest(to, hasSubscribers -> {
            if (!hasSubscribers) {
                check.begin();
            }
        });
        to.announced().whenComplete((nothing, failure) -> {
            if (failure != null && isRefusal(failure)) {
                check.published().forEach(request -> request.fail(Reason.REFUSED, failure.getMessage()));
            }
        });
        return check;
    }

    /**
     * Returns a future that completes when all replies that the broker had sent before this call have arrived. The
     * answer to a second subscription to the inbox follows them; a refusal is an answer, too. The future fails when the
     * connection has ended, which fails all requests.
     */
    private CompletableFuture<Void> probe() {
        try {
            CompletableFuture<Void> answered = new CompletableFuture<>();
            Subscription probe = subscriber.subscribeToInbox(reply -> {});
            probe.ready().whenComplete((nothing, failure) -> {
                probe.close();
                if (failure == null || isRefusal(failure)) {
                    answered.complete(null);
                } else {
                    answered.completeExceptionally(failure);
                }
            });
            return answered;
        } catch (IllegalStateException e) {
            return CompletableFuture.failedFuture(e); // the client is closed
        }
    }

    /** Returns false when the inbox is live, so that the request can be sent. */
    private boolean waits(PendingRequest request, Headers headers, byte[] payload) {
        long length = headers.encodedLength() + payload.length;
        boolean fits;
        synchronized (this) {
            if (live) {
                return false;
            }
            fits = waitingLength + length <= publisher.settings().publisherCapacity();
            if (fits) {
                waiting.add(new Waiting(request, headers, payload.clone()));
                waitingLength += length;
            }
        }
        if (!fits) {
            request.fail(Reason.NO_SPACE, "too many requests wait for the client's inbox; try again later");
        }
        return true;
    }

    /** Sends the requests that have waited, in their order, until there are none; later ones then go past the list. */
    private void sendWaiting() {
        while (true) {
            List<Waiting> due;
            synchronized (this) {
                if (waiting.isEmpty()) {
                    live = true;
                    return;
                }
                due = waiting;
                waiting = new ArrayList<>();
                waitingLength = 0;
            }
            due.forEach(each -> send(each.request(), each.headers(), each.payload()));
        }
    }

    private void send(PendingRequest request, Headers headers, byte[] payload) {
        if (request.future().isDone()) {
            return; // timed out, cancelled, or failed while it waited
        }
        TopicPublisher to = request.to();
        PublishResult result = to.tryPublishUnheard(headers, payload);
        switch (result) {
            case PUBLISHED -> {
                request.published();
                if (!to.hasSubscribers()) {
                    checks.get(to).begin();
                } else if (to.announced().isCompletedExceptionally()) {
                    failByTopic(request, to.output().ended());
                }
            }
            case NO_SPACE ->
                request.fail(
                        Reason.NO_SPACE,
                        "the buffer for the topic is full, because responders lag behind; try again later, or raise"
                                + " rbmq.publisher.capacity");
            default -> failByTopic(request, result);
        }
    }

    /** Fails a request because its topic has ended: refused, closed, or with the connection. */
    private static void failByTopic(PendingRequest request, PublishResult why) {
        switch (why) {
            case REFUSED ->
                request.to()
                        .announced()
                        .whenComplete((nothing, refused) -> request.fail(Reason.REFUSED, refused.getMessage()));
            case NOT_CONNECTED -> request.fail(Reason.NOT_CONNECTED, "the connection to the broker was lost");
            default -> request.fail(Reason.CLOSED, "the topic was closed");
        }
    }

    // Replies.

    private void onReply(Message message) {
        PendingRequest request = inFlight.get(correlation(message.headers()));
        String error = message.headers().get(HeaderKey.ERROR);
        // Copied first, because an error from then on would leave the request incomplete.
        Reply reply = request == null || error != null ? null : Reply.of(message);
        if (request == null || !request.end()) {
            strayCount.increment();
            return;
        }
        repliedCount.increment();
        if (reply != null) {
            request.future().complete(reply);
        } else {
            request.future()
                    .completeExceptionally(request.failure(Reason.FAILED, "the responder reported an error: " + error));
        }
    }

    /** Returns the id in a reply; 0, which no request has, if there is none. */
    private static long correlation(MessageHeaders headers) {
        Header correlation = headers.find(HeaderKey.CORRELATION);
        return correlation == null || correlation.length() != Long.BYTES
                ? 0
                : ByteBuffer.wrap(correlation.toBytes()).getLong();
    }

    private void onTimeout(PendingRequest request, Duration timeout) {
        if (request.end()) {
            timeoutCount.increment();
            request.future()
                    .completeExceptionally(
                            request.failure(Reason.TIMEOUT, "no reply within " + timeout.toMillis() + " ms"));
        }
    }

    // End.

    private void endBy(Throwable lost) {
        if (lost == null) {
            end(Reason.CLOSED, "the client was closed");
        } else {
            end(Reason.NOT_CONNECTED, "the connection to the broker was lost: " + lost.getMessage());
        }
    }

    /** Fails all requests, and those that follow. */
    void close() {
        end(Reason.CLOSED, "the client was closed");
    }

    private void end(Reason reason, String why) {
        if (end == null) {
            end = new End(reason, why);
        }
        End known = end;
        inFlight.values().forEach(request -> request.fail(known.reason(), known.why()));
    }

    // Counters.

    long requestCount() {
        return requestCount.sum();
    }

    long inFlightCount() {
        return inFlight.size();
    }

    long repliedCount() {
        return repliedCount.sum();
    }

    long timeoutCount() {
        return timeoutCount.sum();
    }

    long strayCount() {
        return strayCount.sum();
    }
}

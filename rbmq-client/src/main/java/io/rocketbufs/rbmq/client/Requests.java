package io.rocketbufs.rbmq.client;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.RequestException.Reason;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The requests of one client, and its inbox. A request is a message with three headers: {@code reply-to} names the
 * inbox, {@code correlation} identifies the reply, and {@code expires} states the end of the timeout.
 *
 * <p>A request is published once, and responders reply to the inbox. Requests that are made before the broker has
 * accepted the subscription to the inbox wait here, because their replies would otherwise be lost.
 *
 * <pre>
 *   waiting ---the inbox is live---&gt; in flight ---reply, timeout, no responders, loss, close----&gt; complete
 *      |                                                                                           ^
 *      +------------------------------- timeout, loss, close --------------------------------------+
 * </pre>
 *
 * When a connection is lost, all requests fail, because their replies may be lost with it. The replacing connection has
 * a new inbox, which receives the replies to later requests; {@link RequestGate} decides when these can be sent. A
 * failed request that the broker had not confirmed may be sent again with the publisher's other messages. Until its
 * timeout, responders may therefore receive it late, or twice.
 *
 * <p><b>Thread-safety:</b> any thread; futures are completed without locks. <b>Ownership:</b> owns the subscription to
 * the inbox, but not the connections. When a connection ends, all requests fail.
 */
final class Requests {
    private static final String CLOSED = "the client was closed";

    private final Publisher publisher;
    private final Subscriber subscriber;
    private final RequestGate gate;
    private final Map<Long, PendingRequest> inFlight = new ConcurrentHashMap<>();
    private final Map<TopicPublisher, RespondersCheck> checks = new ConcurrentHashMap<>();
    private final SharedRoundTrips repliesArrived = new SharedRoundTrips(this::probe);
    /** Random ids, so that a client that has received one request cannot reply to other requests. */
    private final SecureRandom ids = new SecureRandom();

    private final LongAdder requestCount = new LongAdder();
    private final LongAdder repliedCount = new LongAdder();
    private final LongAdder timeoutCount = new LongAdder();
    private final LongAdder strayCount = new LongAdder();
    private volatile String inbox;
    /** Used on the subscriber's worker. Null before the first subscription to an inbox. */
    private Subscription inboxSubscription;

    /** Starts to subscribe to the inbox; does not wait. */
    Requests(Publisher publisher, Subscriber subscriber) {
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.inbox = subscriber.broker().inbox();
        this.gate = new RequestGate(publisher.settings().publisherCapacity());
        publisher.closed().whenComplete((nothing, lost) -> endBy(lost));
        subscriber.closed().whenComplete((nothing, lost) -> endBy(lost));
        publisher.addCallback(new Losses(Role.PUBLISHER, () -> {}));
        subscriber.addCallback(new Losses(Role.SUBSCRIBER, this::openInbox));
        // Runs on the workers, because a connection may be lost and replaced at the same time.
        publisher.execute(() -> begin(Role.PUBLISHER, publisher.isConnected()));
        subscriber.execute(() -> begin(Role.SUBSCRIBER, subscriber.isConnected()));
    }

    /** Called on the connection's worker, before a loss of the connection can go unnoticed. */
    private void begin(Role role, boolean isConnected) {
        if (!isConnected) {
            lose(role, "the connection to the broker is lost");
        } else if (role == Role.SUBSCRIBER && inboxSubscription == null) {
            openInbox();
        }
    }

    /** The callback for the loss and replacement of one connection, called on its worker. */
    private final class Losses implements ReconnectCallback {
        private final Role role;
        private final Runnable onBack;

        private Losses(Role role, Runnable onBack) {
            this.role = role;
            this.onBack = onBack;
        }

        @Override
        public void onDisconnected(TransportException cause, long nextAttemptMs) {
            lose(role, "the connection to the broker was lost: " + cause.getMessage());
        }

        @Override
        public void onReconnected(String broker, boolean isSame) {
            onBack.run();
            gate.restore(role);
            sendWaiting();
        }
    }

    private void lose(Role role, String why) {
        gate.lose(role, why);
        failAll();
    }

    /** Subscribes to the inbox of the current connection. */
    private void openInbox() {
        inbox = subscriber.broker().inbox();
        if (inbox.isEmpty()) {
            end(Reason.REFUSED, "the broker does not support requests, and gave this client no inbox; upgrade it");
            return;
        }
        if (inboxSubscription != null && inboxSubscription.filter().equals(inbox)) {
            return; // already subscribed to, before the new connection was reported
        }
        try {
            Subscription opened = subscriber.subscribeToInbox(this::onReply);
            inboxSubscription = opened;
            opened.ready().whenComplete((nothing, failure) -> onInbox(failure));
        } catch (IllegalStateException e) {
            end(Reason.CLOSED, CLOSED);
        }
    }

    /** Called when the inbox is live, or its subscription has failed. */
    private void onInbox(Throwable failure) {
        if (failure == null) {
            gate.inboxLive();
            sendWaiting();
        } else if (isRefusal(failure)) {
            end(Reason.REFUSED, "the client has no inbox for replies: " + failure.getMessage());
        }
        // Otherwise, the connection has ended, which is reported separately.
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
        String replyTo = inbox;
        Headers headers = headers(given, replyTo, request.id(), timeoutNs);
        checkLength(to, headers, payload);
        requestCount.increment();
        checks.computeIfAbsent(to, this::watch).add(request);
        inFlight.put(request.id(), request);
        request.limit(timeoutNs, publisher::execute, () -> onTimeout(request, timeout));
        // A later loss fails this request, too. An earlier loss may have replaced the inbox.
        switch (replyTo.equals(inbox) ? gate.enter(request, headers, payload) : RequestGate.Entry.FAIL) {
            case SEND -> send(request, headers, payload);
            case NO_SPACE ->
                request.fail(Reason.NO_SPACE, "too many requests wait for the client's inbox; try again later");
            case FAIL -> fail(request, gate.failure());
            default -> {}
        }
        return request.future();
    }

    private void forget(PendingRequest request) {
        inFlight.remove(request.id());
        checks.get(request.to()).remove(request);
    }

    private static void fail(PendingRequest request, RequestGate.Failure why) {
        if (why == null) {
            request.fail(Reason.NOT_CONNECTED, "the connection to the broker was replaced; try again");
        } else {
            request.fail(why.reason(), why.why());
        }
    }

    private static long nanos(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout=" + timeout + " is not positive");
        }
        return TimeUnit.NANOSECONDS.convert(timeout);
    }

    /** Returns an id that no request in flight uses; never 0, which stands for a missing id. */
    private long nextId() {
        long id = ids.nextLong();
        return id == 0 || inFlight.containsKey(id) ? nextId() : id;
    }

    private static Headers headers(Headers given, String replyTo, long id, long timeoutNs) {
        // Rounded up, because the clock is rounded down, and a request must not expire before its timeout.
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(timeoutNs) + 1;
        return new Headers(given)
                .set(HeaderKey.REPLY_TO, replyTo)
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

    /** Observes the interest in a topic and its refusal, starting with the first request to it. */
    private RespondersCheck watch(TopicPublisher to) {
        RespondersCheck check = new RespondersCheck(
                () -> publisher.flush(to),
                repliesArrived::begin,
                to::hasSubscribers,
                request -> request.fail(new NoRespondersException(to.topic())));
        publisher.listen(to, new TopicListener() {
            @Override
            public void onInterest(boolean hasSubscribers) {
                if (!hasSubscribers) {
                    check.begin();
                }
            }

            @Override
            public void onRefused(TransportException refusal) {
                check.published().forEach(request -> request.fail(Reason.REFUSED, refusal.getMessage()));
            }
        });
        return check;
    }

    /**
     * Returns a future that completes when all replies that the broker sent before this call have arrived. The client
     * knows this when the broker answers a second subscription to the inbox, possibly with a refusal, because the
     * answer follows the replies. The future fails when the connection has ended, which also fails all requests.
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

    /** Sends the waiting requests in order until none are left. Later requests then need not wait. */
    private void sendWaiting() {
        List<RequestGate.Waiting> due = gate.takeDue();
        while (!due.isEmpty()) {
            due.forEach(each -> send(each.request(), each.headers(), each.payload()));
            due = gate.takeDue();
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
                TopicOutput output = to.output(); // read once, because a reconnect may replace it
                if (!output.hasSubscribers()) {
                    checks.get(to).begin();
                } else if (output.endCause() != null) {
                    failByTopic(request, output.ended());
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

    /** Fails a request because its topic was refused, was closed, or has ended with the connection. */
    private static void failByTopic(PendingRequest request, PublishResult why) {
        switch (why) {
            case REFUSED ->
                request.fail(Reason.REFUSED, request.to().output().endCause().getMessage());
            case NOT_CONNECTED -> request.fail(Reason.NOT_CONNECTED, "the connection to the broker was lost");
            default -> request.fail(Reason.CLOSED, "the topic was closed");
        }
    }

    // Replies.

    private void onReply(Message message) {
        PendingRequest request = inFlight.get(correlation(message.headers()));
        String error = message.headers().get(HeaderKey.ERROR);
        // Copied first, because an error after end() would leave the request incomplete.
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

    /** Returns the correlation id in a reply; 0, which no request has, if it is missing. */
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
            end(Reason.CLOSED, CLOSED);
        } else {
            end(Reason.NOT_CONNECTED, "the connection to the broker was lost: " + lost.getMessage());
        }
    }

    /** Fails all current and further requests. */
    void close() {
        end(Reason.CLOSED, CLOSED);
    }

    private void end(Reason reason, String why) {
        gate.end(reason, why);
        failAll();
    }

    private void failAll() {
        RequestGate.Failure why = gate.failure();
        if (why != null) { // otherwise, the replacement of the connection has already failed them
            inFlight.values().forEach(request -> fail(request, why));
        }
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

package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.text.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A subscription whose handler replies to requests.
 *
 * <p>Each responder of a topic receives each request, and the requester uses the first reply. A request whose timeout
 * has passed is not handled: its result would be useless, and a responder that lags behind must not waste time on such
 * requests. The responder sends an error reply instead, so that a requester whose clock differs learns the reason.
 *
 * <p><b>Thread-safety:</b> any thread, including the handler's. <b>Ownership:</b> belongs to its client and ends with
 * it.
 */
public final class Responder implements AutoCloseable {
    /** Maximum length in bytes of a correlation id that is returned. The ids of this library have 8 bytes. */
    private static final int MAX_CORRELATION_LENGTH = 255;

    private final RequestHandler handler;
    private final Replies replies;
    private final Subscriber subscriber;
    private final Subscription subscription;
    private final LongAdder requestCount = new LongAdder();
    private final LongAdder failedCount = new LongAdder();
    private final LongAdder expiredCount = new LongAdder();
    private volatile boolean closing;

    /** Subscribes the handler; does not wait. */
    Responder(
            Subscriber subscriber,
            Replies replies,
            String filter,
            RequestHandler handler,
            SubscriptionOptions options) {
        this.handler = handler;
        this.replies = replies;
        this.subscriber = subscriber;
        this.subscription = subscriber.subscribe(filter, this::onMessage, options);
    }

    private void onMessage(Message message) {
        HandlerCalls.Call call = replies.calls().begin(this);
        try {
            if (!closing && !replies.isClosing()) {
                handle(message);
            }
            // Otherwise, the request is ignored. When the subscription has ended, the requester learns that there is no
            // responder, unless the topic has other subscribers.
        } finally {
            call.end();
        }
    }

    private void handle(Message message) {
        Replier replier = replier(message);
        long remainingMs = replier.remainingMs();
        if (remainingMs <= 0) {
            expiredCount.increment();
            replier.failIfUnused("the request expired " + -remainingMs
                    + " ms ago by the responder's clock: the responder lags behind, the clocks differ, or the"
                    + " timeout is too short");
            return;
        }
        requestCount.increment();
        try {
            handler.onRequest(message, replier);
        } catch (Throwable e) {
            failedCount.increment();
            reportTo(replier, e);
            throw e;
        }
    }

    private static void reportTo(Replier replier, Throwable failure) {
        try {
            replier.failIfUnused(Reason.of(failure));
        } catch (RuntimeException e) {
            failure.addSuppressed(e); // must not hide the handler's exception
        }
    }

    /**
     * Returns the replier for a request. Only an inbox is accepted as reply-to; otherwise, every publisher could make
     * this client publish to any topic.
     */
    private Replier replier(Message message) {
        MessageHeaders headers = message.headers();
        String inbox = headers.get(HeaderKey.REPLY_TO);
        Header correlation = headers.find(HeaderKey.CORRELATION);
        boolean isRequest = inbox != null
                && InboxName.is(inbox)
                && correlation != null
                && correlation.length() > 0
                && correlation.length() <= MAX_CORRELATION_LENGTH;
        if (!isRequest) {
            throw new IllegalArgumentException("a message to topic \"" + message.topic()
                    + "\" is not a request: it needs the headers reply-to, with an inbox, and correlation, with 1 to "
                    + MAX_CORRELATION_LENGTH + " bytes");
        }
        byte[] id = correlation.toBytes();
        return new Replier(replies, inbox, id, headers.getLong(HeaderKey.EXPIRES, Long.MAX_VALUE));
    }

    /** Returns the topic or the filter of the requests. */
    public String filter() {
        return subscription.filter();
    }

    /**
     * Returns a future that completes when this responder is live and receives every request made after that; see
     * {@link Subscription#ready()}.
     */
    public CompletableFuture<Void> ready() {
        return subscription.ready();
    }

    /**
     * Returns a future that completes when this responder has ended and its handler is no longer called; see
     * {@link Subscription#closed()}.
     */
    public CompletableFuture<Void> closed() {
        return subscription.closed();
    }

    /**
     * Ends this responder; returns without waiting. The handler is not called for requests that wait for the executor
     * or arrive after this call. The subscription ends when the current call of the handler has returned and the broker
     * has consumed the replies made by then, but at the latest after {@code rbmq.publisher.drain-timeout}. Requesters
     * without a reply then learn at once that there is no responder, unless the topic has another subscriber.
     * Idempotent.
     */
    @Override
    public void close() {
        if (!closing) {
            closing = true;
            replies.settle(call -> call.isOf(this))
                    .completeOnTimeout(null, subscriber.settings().drainTimeoutMs(), TimeUnit.MILLISECONDS)
                    .whenComplete((nothing, failure) -> subscriber.execute(subscription::close));
        }
    }

    /** Returns the number of requests passed to the handler. */
    public long requestCount() {
        return requestCount.sum();
    }

    /** Returns the number of requests whose handler threw an exception. */
    public long failedCount() {
        return failedCount.sum();
    }

    /** Returns the number of requests that arrived after their timeout and were therefore not passed to the handler. */
    public long expiredCount() {
        return expiredCount.sum();
    }

    /** Returns the number of messages that were not valid requests; each was also reported to onError. */
    public long invalidCount() {
        return Math.max(0, subscription.failedCount() - failedCount.sum()); // a handler may currently be failing
    }
}

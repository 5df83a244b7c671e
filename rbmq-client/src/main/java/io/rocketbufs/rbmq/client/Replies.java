package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.MessageLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * The replies that the responders of one client send. Each requester's inbox has a separate buffer, so a requester that
 * does not read its replies does not delay other requesters. Buffers that have been idle for the configured time are
 * removed.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> the publisher owns the buffers, which end with it.
 */
final class Replies {
    /** Maximum number of requesters at a time. It is limited because every request can name a different inbox. */
    private static final int MAX_OUTPUTS = 10_000;

    private final Publisher publisher;
    private final Subscriber subscriber;
    private final ReplySettings settings;
    private final ReplyBacklog backlog;
    /** The outputs that are open, or whose inbox was refused recently, by inbox. */
    private final Map<String, ReplyOutput> outputs = new ConcurrentHashMap<>();

    private final HandlerCalls calls = new HandlerCalls();
    private final LongAdder sentCount = new LongAdder();
    private final LongAdder refusedCount = new LongAdder();
    private final LongAdder droppedCount = new LongAdder();
    private final AtomicBoolean reportedRefusal = new AtomicBoolean();
    private volatile boolean closing;
    /** True while a task that removes idle outputs is scheduled; guarded by this object's lock. */
    private boolean sweeping;

    /**
     * Creates an object without outputs.
     *
     * @param subscriber receives the requests
     */
    Replies(Publisher publisher, Subscriber subscriber) {
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.settings = publisher.settings().replies();
        this.backlog = new ReplyBacklog(settings.backlog());
    }

    /** Returns the length of the longest reply in bytes, including its headers. */
    int longest() {
        return MessageLayout.longest(settings.capacity());
    }

    /**
     * Sends a reply without waiting.
     *
     * @param headers headers that the caller must not change after this call
     * @return PUBLISHED, even for a reply that waits for space; NO_SPACE, NOT_CONNECTED, REFUSED or CLOSED if the reply
     *     was not accepted
     */
    PublishResult send(String inbox, Headers headers, byte[] payload) {
        PublishResult result = trySend(inbox, headers, payload);
        if (result == null) {
            result = trySend(inbox, headers, payload);
        }
        if (result == null) {
            result = unavailable();
        }
        (result == PublishResult.PUBLISHED ? sentCount : refusedCount).increment();
        return result;
    }

    /** Returns null if the output was idle or its connection was lost, and it has just been removed. */
    private PublishResult trySend(String inbox, Headers headers, byte[] payload) {
        ReplyOutput known = outputs.get(inbox);
        ReplyOutput output = known == null ? open(inbox) : known;
        if (output == null) {
            return unavailable();
        }
        PublishResult result = output.send(headers, payload);
        if (result == null) {
            outputs.remove(inbox, output);
        }
        return result;
    }

    /** Returns the reason why there is no output for an inbox. */
    private PublishResult unavailable() {
        if (publisher.isClosing()) {
            return PublishResult.CLOSED;
        }
        return publisher.isConnected() ? PublishResult.NO_SPACE : PublishResult.NOT_CONNECTED;
    }

    /** Returns null if there are too many outputs or queued messages, or if the publisher is not connected. */
    private ReplyOutput open(String inbox) {
        ReplyOutput opened;
        synchronized (this) {
            ReplyOutput known = outputs.get(inbox);
            if (known != null) {
                return known;
            }
            if (outputs.size() >= MAX_OUTPUTS) {
                return null;
            }
            opened = new ReplyOutput(settings, backlog, droppedCount, ended -> outputs.remove(inbox, ended));
            if (!opened.open(publisher, inbox)) {
                return null;
            }
            outputs.put(inbox, opened);
            sweepLater();
        }
        opened.watch(refusal -> report(inbox, refusal));
        return opened;
    }

    /** Reports only the first refusal to the application, because all refusals have the same cause. */
    private void report(String inbox, TransportException refusal) {
        if (reportedRefusal.compareAndSet(false, true)) {
            subscriber.report(
                    inbox,
                    refusal.withMessage(refusal.getMessage()
                            + "; replies are not sent: check rbmq.client.reply-capacity=" + settings.capacity()));
        }
    }

    /** Makes the worker check for idle outputs as long as there are outputs. */
    private synchronized void sweepLater() {
        if (!sweeping && !outputs.isEmpty()) {
            sweeping = true;
            CompletableFuture.delayedExecutor(settings.idleTimeoutMs(), TimeUnit.MILLISECONDS, publisher::execute)
                    .execute(this::sweep);
        }
    }

    private void sweep() {
        outputs.values().forEach(ReplyOutput::retire);
        synchronized (this) {
            sweeping = false;
        }
        if (!publisher.closed().isDone()) {
            sweepLater();
        }
    }

    /** Returns the calls of the handlers that reply. */
    HandlerCalls calls() {
        return calls;
    }

    /**
     * Returns a future that completes when the matching handler calls in progress have returned, and the broker has
     * consumed the replies made by then or will never do so.
     */
    CompletableFuture<Void> settle(Predicate<HandlerCalls.Call> which) {
        return CompletableFuture.anyOf(calls.returned(which), subscriber.closed())
                .handle((nothing, lost) -> null)
                .thenCompose(nothing -> flush());
    }

    private CompletableFuture<Void> flush() {
        if (!publisher.isConnected()) {
            return CompletableFuture.completedFuture(null); // closing does not wait for another connection
        }
        return CompletableFuture.allOf(
                outputs.values().stream().map(ReplyOutput::flush).toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Makes the responders ignore further requests, and settles the calls in progress, except for a call that is itself
     * calling this method.
     */
    CompletableFuture<Void> close() {
        closing = true;
        return settle(call -> !call.isMine());
    }

    /** Returns true as soon as {@link #close()} has been called. */
    boolean isClosing() {
        return closing;
    }

    // Counters.

    long sentCount() {
        return sentCount.sum();
    }

    long refusedCount() {
        return refusedCount.sum();
    }

    long droppedCount() {
        return droppedCount.sum();
    }
}

package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A subscriber's interest in one topic, from the wish to the end.
 *
 * <p><b>Thread-safety:</b> {@link #leave} by anybody; what the broker tells comes on the connection's worker.
 */
final class TopicSubscription {
    private final int number;
    private final String topic;
    private final MessageHandler handler;
    private final SlowPolicy policy;
    private final CompletableFuture<Void> live = new CompletableFuture<>();
    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    private volatile boolean left;

    // Worker only.
    private final List<PublisherBuffer> buffers = new ArrayList<>(1);
    private int unsettledCount;
    private boolean listed;

    TopicSubscription(int number, String topic, MessageHandler handler, SlowPolicy policy) {
        this.number = number;
        this.topic = topic;
        this.handler = handler;
        this.policy = policy;
    }

    int number() {
        return number;
    }

    String topic() {
        return topic;
    }

    MessageHandler handler() {
        return handler;
    }

    SlowPolicy policy() {
        return policy;
    }

    /** Completes when all buffers that the topic had at first are subscribed to. */
    CompletableFuture<Void> live() {
        return live;
    }

    /** Completes when nothing more comes. */
    CompletableFuture<Void> gone() {
        return gone;
    }

    /** True when the handler is to be handed no more. */
    boolean isLeft() {
        return left;
    }

    /** Hands the handler no more. */
    void leave() {
        left = true;
        live.completeExceptionally(
                new TransportException(TransportException.Code.CLOSED, "unsubscribed from \"" + topic + "\""));
    }

    /** Nothing more comes, for a reason other than our wish. */
    void end(TransportException cause) {
        left = true;
        live.completeExceptionally(cause);
        gone.complete(null);
    }

    // On the worker.

    /** Those of its publishers that are subscribed to. */
    List<PublisherBuffer> buffers() {
        return buffers;
    }

    /** A buffer is being subscribed to. */
    void unsettled() {
        unsettledCount++;
    }

    /** A buffer is subscribed to, or will never be. */
    void settled() {
        unsettledCount--;
        completeWhenLive();
    }

    /** The broker has told all buffers that the topic had at first. */
    void onListed() {
        listed = true;
        completeWhenLive();
    }

    boolean isListed() {
        return listed;
    }

    private void completeWhenLive() {
        if (listed && unsettledCount == 0) {
            live.complete(null);
        }
    }
}

package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A subscription to one topic, from the request to its end.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #leave}; the broker's messages are handled on the connection's
 * worker.
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

    /**
     * Returns a future that completes when this subscriber has subscribed to all buffers that the topic had when the
     * subscription began.
     */
    CompletableFuture<Void> live() {
        return live;
    }

    /** Returns a future that completes when no more messages can arrive. */
    CompletableFuture<Void> gone() {
        return gone;
    }

    /** Returns true when the handler must receive no more messages. */
    boolean isLeft() {
        return left;
    }

    /** Stops passing messages to the handler. */
    void leave() {
        left = true;
        live.completeExceptionally(
                new TransportException(TransportException.Code.CLOSED, "unsubscribed from \"" + topic + "\""));
    }

    /** Ends the subscription for a reason other than {@link #leave}. */
    void end(TransportException cause) {
        left = true;
        live.completeExceptionally(cause);
        gone.complete(null);
    }

    // On the worker.

    /** Returns the buffers with an established or pending subscription. */
    List<PublisherBuffer> buffers() {
        return buffers;
    }

    /** Called when subscribing to a buffer begins. */
    void unsettled() {
        unsettledCount++;
    }

    /** Called when subscribing to a buffer has succeeded or failed. */
    void settled() {
        unsettledCount--;
        completeWhenLive();
    }

    /** Called when the broker has listed all buffers that the topic had when the subscription began. */
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

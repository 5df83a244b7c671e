package io.rocketbufs.rbmq.client;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;

/**
 * The messages of a filter as a {@link Flow.Publisher}. Each consumer has a separate subscription.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class MessageFlow implements Flow.Publisher<ReceivedMessage> {
    private final BiFunction<MessageHandler, Demand, Subscription> subscribe;

    /** Creates a flow that subscribes each consumer with the given function. */
    MessageFlow(BiFunction<MessageHandler, Demand, Subscription> subscribe) {
        this.subscribe = subscribe;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ReceivedMessage> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        new FlowSubscription(subscriber).start(subscribe);
    }
}

package io.rocketbufs.rbmq.client;

import java.util.concurrent.Flow;
import java.util.function.BiFunction;

/**
 * The subscription of one consumer of a {@link MessageFlow}: its demand, its messages and the signal that ends it.
 *
 * <p><b>Thread-safety:</b> any thread may request and cancel. Signals are sent one at a time: the first one on the
 * thread that subscribes, the others on the worker or the executor. The last signal may be sent on the thread that
 * subscribes or closes. <b>Source:</b> Reactive Streams 1.0.4, rules 1 and 3.
 */
final class FlowSubscription implements Flow.Subscription {
    private final Demand demand = new Demand();
    /** Null once it must no longer be called, so that the application's object can be garbage-collected. */
    private volatile Flow.Subscriber<? super ReceivedMessage> subscriber;

    /** Null until the subscription has been requested from the broker. */
    private volatile Subscription subscription;

    private volatile boolean cancelled;
    private volatile IllegalArgumentException badRequest;

    FlowSubscription(Flow.Subscriber<? super ReceivedMessage> subscriber) {
        this.subscriber = subscriber;
    }

    /** Passes this subscription to the consumer, and then subscribes unless the consumer has already cancelled. */
    void start(BiFunction<MessageHandler, Demand, Subscription> subscribe) {
        subscriber.onSubscribe(this);
        if (isOver()) {
            endWith(null);
            return;
        }
        try {
            subscription = subscribe.apply(this::onMessage, demand);
        } catch (RuntimeException e) {
            endWith(e);
            return;
        }
        subscription
                .closed()
                .whenComplete((ended, failure) -> endWith(failure == null ? subscription.failure() : failure));
        if (isOver()) {
            subscription.close();
        }
    }

    private boolean isOver() {
        return cancelled || badRequest != null;
    }

    @Override
    public void request(long count) {
        if (count > 0) {
            demand.add(count);
        } else if (badRequest == null) {
            badRequest = new IllegalArgumentException(
                    "count=" + count + ": a subscriber must request at least one message (rule 3.9)");
            close();
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        subscriber = null;
        close();
    }

    private void close() {
        Subscription current = subscription;
        if (current != null) {
            current.close();
        }
    }

    private void onMessage(Message message) {
        Flow.Subscriber<? super ReceivedMessage> to = subscriber;
        if (to != null && badRequest == null) {
            try {
                to.onNext(message.copy());
            } catch (RuntimeException | Error e) {
                cancel(); // rule 2.13
                throw e;
            }
        }
    }

    /** Signals the end unless the consumer has cancelled. */
    private void endWith(Throwable failure) {
        Flow.Subscriber<? super ReceivedMessage> to = subscriber;
        subscriber = null;
        if (to == null) {
            return;
        }
        if (badRequest != null) {
            to.onError(badRequest);
        } else if (failure != null) {
            to.onError(failure);
        } else {
            to.onComplete();
        }
    }
}

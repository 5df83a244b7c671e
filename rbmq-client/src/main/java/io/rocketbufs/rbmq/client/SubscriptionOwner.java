package io.rocketbufs.rbmq.client;

/**
 * The receiver of a subscription's events. The type of subscriptions is a parameter, so that this interface and
 * {@code Subscription} do not depend on each other.
 *
 * <p><b>Thread-safety:</b> any thread, unless a method states otherwise.
 *
 * @param <S> the type of subscriptions
 */
interface SubscriptionOwner<S> {
    /** Called once the application has closed the subscription. */
    void onClose(S subscription);

    /** Called when the subscription can accept waiting messages; runs the given task on the worker. */
    void onResume(Runnable reading);

    /** Called on the worker to read waiting messages. */
    void onReading(S subscription);

    /** Called when the handler threw on the executor. */
    void onFailure(S subscription, String topic, int publisher, Throwable failure);

    /** Called when a throwable on the executor must end the connection. */
    void onFatal(Throwable failure);

    /**
     * Called once the executor has rejected the subscription's task. The subscription then no longer accepts messages.
     */
    void onRejected(S subscription);
}

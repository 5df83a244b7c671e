package io.rocketbufs.rbmq.client;

/**
 * The receiver of a subscription's events. The type of subscriptions is a parameter so that the two classes do not
 * depend on each other.
 *
 * <p><b>Thread-safety:</b> any thread, unless a method states otherwise.
 *
 * @param <S> the type of subscriptions, about which this interface knows nothing
 */
interface SubscriptionOwner<S> {
    /** Called once, when the application has closed the subscription. */
    void onClose(S subscription);

    /** Called when the subscription may take messages that have waited; runs the task on the worker. */
    void onResume(Runnable reading);

    /** Called on the worker to read the messages that have waited. */
    void onReading(S subscription);

    /** Called when the handler threw on the executor. */
    void onFailure(S subscription, String topic, int publisher, Throwable failure);

    /** Called when something was thrown on the executor that ends the connection. */
    void onFatal(Throwable failure);

    /** Called once when the executor has rejected the subscription, after it has stopped taking messages. */
    void onRejected(S subscription);
}

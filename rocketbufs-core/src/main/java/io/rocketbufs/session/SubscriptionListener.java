package io.rocketbufs.session;

import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SubscriptionState;

/** The receiver of events about the subscriptions to a connection's output. Called on the connection's worker. */
public interface SubscriptionListener {
    /** Called when the peer has subscribed to a buffer. */
    void subscribed(int bufferId);

    /**
     * Called when a subscription has ended.
     *
     * @param last the subscription's final counters, which the totals of all subscriptions no longer include
     * @param undelivered number of bytes that were delivered into the buffer but not sent
     * @param reason why the subscription ended; null if the subscriber unsubscribed, or if the buffer ended and
     *     everything was sent
     */
    void subscriptionEnded(SubscriptionState last, long undelivered, String reason);

    /** Returns true if subscriptions that begin after this call are watched for {@link #slow} and {@link #losing}. */
    boolean watches();

    /** Called while a subscription delays its producer, and when the delay is over. */
    void slow(int bufferId, SlowState state);

    /** Called when a subscription begins to miss data, and when it stops missing data. */
    void losing(int bufferId, LossState state);
}

package io.rocketbufs.out;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.RemoteBuffer;

/**
 * The terms of a subscription: those that the peer requested, and those that its connection adds.
 *
 * @param tag the peer's tag for the subscription
 * @param remote the peer's buffer
 * @param window maximum number of unconsumed bytes in the peer's buffer
 * @param transferLimit maximum number of bytes in a transfer that combines several deliveries
 * @param policy the policy for a slow subscription; null selects the buffer's policy
 * @param flowControl true if writes must respect the peer's credit even if the buffer's producer does not wait for
 *     subscribers
 * @param start where in the buffer's data the subscription begins
 * @param identity the subscriber's identity, which stays the same across connections; 0 for none
 * @param writeTimeoutMs longest time without a completed write while writes occupy memory that a producer needs
 * @param onEnded runs on any thread when the subscription has stopped sending and uses no memory, and again when its
 *     tag is free
 */
public record SubscriptionTerms(
        int tag,
        RemoteBuffer remote,
        long window,
        int transferLimit,
        SlowPolicy policy,
        boolean flowControl,
        Start start,
        long identity,
        long writeTimeoutMs,
        Runnable onEnded) {
    /**
     * Returns the limit for transfers that combine several deliveries. A limit below the buffer's lowest limit could
     * exhaust the log's records, which all subscriptions share.
     */
    long coalesceLimit(MergeLimits limits) {
        long quarter = Math.max(1, window / 4);
        return Math.min(limits.coalesce(), Math.min(quarter, Math.max(transferLimit, limits.least())));
    }
}

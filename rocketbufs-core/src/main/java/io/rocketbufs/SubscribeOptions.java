package io.rocketbufs;

import io.rocketbufs.delivery.SubscriptionWishes;

/**
 * How an RIn wants a buffer; {@link #DEFAULTS} with changes.
 *
 * @param transferLimit bytes that a transfer of several deliveries shall have at most; a quarter of the capacity and
 *     256 KiB are limits anyway
 * @param slowPolicy what shall happen when this subscriber is slow; null leaves that to the sender
 * @param flowControl true or false demands it and fails otherwise, null takes what the sender has
 */
public record SubscribeOptions(int transferLimit, SlowPolicy slowPolicy, Boolean flowControl) {
    /** No wishes. */
    public static final SubscribeOptions DEFAULTS = new SubscribeOptions(256 * 1024, null, null);

    /** These with another limit. */
    public SubscribeOptions withTransferLimit(int limit) {
        return new SubscribeOptions(limit, slowPolicy, flowControl);
    }

    /** These with another policy. */
    public SubscribeOptions withSlowPolicy(SlowPolicy policy) {
        return new SubscribeOptions(transferLimit, policy, flowControl);
    }

    /** These with a demand for flow control on or off. */
    public SubscribeOptions withFlowControl(Boolean demanded) {
        return new SubscribeOptions(transferLimit, slowPolicy, demanded);
    }

    SubscriptionWishes wishes(long capacity) {
        return new SubscriptionWishes(
                capacity, transferLimit, slowPolicy == null ? null : slowPolicy.core(), flowControl);
    }
}

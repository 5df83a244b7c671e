package io.rocketbufs.metrics;

/**
 * Sums over all open subscriptions of an {@link io.rocketbufs.ROut}. A subscription that ends leaves the sums.
 *
 * @param sentLength number of bytes written to the subscribers' connections
 * @param lostLength number of bytes that were skipped for them
 */
public record SubscriptionTotals(long sentLength, long lostLength) {}

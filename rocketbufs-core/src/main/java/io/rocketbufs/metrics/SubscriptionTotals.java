package io.rocketbufs.metrics;

/**
 * Sums over all open subscriptions of an {@link io.rocketbufs.ROut}. A subscription that has ended is not included.
 *
 * @param sentLength number of bytes written to the subscribers' connections
 * @param lostLength number of bytes that the subscribers' subscriptions skipped
 */
public record SubscriptionTotals(long sentLength, long lostLength) {}

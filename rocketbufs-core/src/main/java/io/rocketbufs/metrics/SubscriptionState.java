package io.rocketbufs.metrics;

import io.rocketbufs.options.SlowPolicy;

/**
 * A snapshot of a subscription, for diagnosis and metrics.
 *
 * @param bufferId the buffer
 * @param peer the subscriber
 * @param slowPolicy the policy that applies when the subscriber is slow
 * @param sentLength bytes written to the peer
 * @param pendingLength bytes delivered but not yet sent
 * @param lostLength bytes left out
 * @param transferCount transfers sent
 * @param starvedCount number of times that the subscription has waited for credit
 */
public record SubscriptionState(
        int bufferId,
        String peer,
        SlowPolicy slowPolicy,
        long sentLength,
        long pendingLength,
        long lostLength,
        long transferCount,
        long starvedCount) {}

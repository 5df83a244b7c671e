package io.rocketbufs.metrics;

import io.rocketbufs.options.SlowPolicy;

/**
 * A snapshot of a subscription, for diagnosis and metrics.
 *
 * @param bufferId the buffer's id
 * @param peer the subscriber's address
 * @param slowPolicy the policy that applies when the subscriber is slow
 * @param sentLength number of bytes written to the peer
 * @param pendingLength number of bytes delivered but not yet sent
 * @param lostLength number of bytes skipped
 * @param transferCount number of transfers sent
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

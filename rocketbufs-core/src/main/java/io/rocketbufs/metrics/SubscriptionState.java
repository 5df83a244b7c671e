package io.rocketbufs.metrics;

import io.rocketbufs.options.SlowPolicy;

/**
 * A snapshot of a subscription, for diagnostics and metrics.
 *
 * @param bufferId the buffer's id
 * @param peer the subscriber's address
 * @param slowPolicy the policy that applies when the subscriber is slow
 * @param sentLength number of bytes written to the peer
 * @param pendingLength number of bytes delivered but not yet sent
 * @param lostLength number of bytes skipped
 * @param transferCount number of transfers sent
 * @param starvedCount number of times that the subscription has waited for credit
 * @param currentDelayMs milliseconds since the start of the current episode in which this subscription delays the
 *     producer; 0 outside an episode. This number and the following ones are measured only if the ROut has a
 *     SlowCallback
 * @param delayMs how long the producer has waited for this subscription in all episodes, in milliseconds
 * @param worstPendingLength highest number of pending bytes in the current or last episode
 */
public record SubscriptionState(
        int bufferId,
        String peer,
        SlowPolicy slowPolicy,
        long sentLength,
        long pendingLength,
        long lostLength,
        long transferCount,
        long starvedCount,
        long currentDelayMs,
        long delayMs,
        long worstPendingLength) {}

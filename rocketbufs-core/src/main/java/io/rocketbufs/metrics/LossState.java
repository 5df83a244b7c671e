package io.rocketbufs.metrics;

import io.rocketbufs.options.SlowPolicy;

/**
 * A snapshot of an episode in which a subscription misses data. The episode ends when nothing has been skipped for 1 s.
 *
 * @param subscription id of the subscription, unique among all subscriptions of its connection, past and present
 * @param phase the phase of the episode
 * @param policy the policy that applies to the subscription
 * @param lostLength number of bytes skipped in this episode
 */
public record LossState(long subscription, Phase phase, SlowPolicy policy, long lostLength) {
    /** The phases of an episode. */
    public enum Phase {
        /** Data has been skipped. */
        BEGAN,
        /** The episode has ended because nothing has been skipped for 1 s. */
        RECOVERED,
        /** The episode has ended because the subscription has ended. */
        UNSUBSCRIBED
    }
}

package io.rocketbufs.metrics;

import io.rocketbufs.options.SlowPolicy;

/**
 * A snapshot of an episode in which a subscription delays its producer. The episode begins when the producer has waited
 * for 200 ms, and ends when the producer has not waited for 1 s. A short pause therefore does not split an episode in
 * two.
 *
 * @param subscription id of the subscription, unique among all subscriptions of its connection, past and present; a
 *     peer may subscribe to a buffer more than once
 * @param phase the phase of the episode
 * @param policy the policy that applies to the subscription
 * @param pendingLength number of bytes that wait to be sent to the subscriber or, if the buffer keeps data until it is
 *     consumed, to be consumed by the subscriber
 * @param delayMs time that the producer has waited in this episode, in milliseconds
 */
public record SlowState(long subscription, Phase phase, SlowPolicy policy, long pendingLength, long delayMs) {
    /** The phases of an episode. */
    public enum Phase {
        /** The episode has begun. */
        BEGAN,
        /** The episode continues. */
        CONTINUES,
        /** The episode has ended because the producer no longer waits, or because its buffer has ended completely. */
        RECOVERED,
        /** The episode has ended because the subscription ended while the producer was waiting. */
        UNSUBSCRIBED
    }
}

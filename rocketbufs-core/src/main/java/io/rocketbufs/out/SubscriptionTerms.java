package io.rocketbufs.out;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.RemoteBuffer;

/**
 * The terms of a subscription: what the peer asked for, and what its connection adds.
 *
 * @param tag the peer's tag of the subscription
 * @param remote the peer's buffer
 * @param transferLimit most bytes in a transfer of several deliveries
 * @param policy the policy that applies when it is slow; null leaves the choice to the buffer
 * @param flowControl true when writes keep to the peer's credit even if the buffer does not wait for its subscribers
 * @param writeTimeoutMs how long writes, of which none completes, may keep memory in use that a producer needs
 * @param onEnded run, on any thread, when the subscription sends nothing further and uses no memory, and again when its
 *     tag is free
 */
public record SubscriptionTerms(
        int tag,
        RemoteBuffer remote,
        int transferLimit,
        SlowPolicy policy,
        boolean flowControl,
        long writeTimeoutMs,
        Runnable onEnded) {}

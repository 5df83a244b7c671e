package io.rocketbufs;

/**
 * A subscription at one moment, for people.
 *
 * @param bufferId the buffer
 * @param peer address of who reads it
 * @param slowPolicy what happens when it is slow
 * @param sentLength bytes written to the peer
 * @param pendingLength bytes delivered and not yet sent
 * @param lostLength bytes left out
 */
public record SubscriptionInfo(
        int bufferId, String peer, SlowPolicy slowPolicy, long sentLength, long pendingLength, long lostLength) {}

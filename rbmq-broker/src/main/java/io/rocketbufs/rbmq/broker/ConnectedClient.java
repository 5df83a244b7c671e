package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Role;

/**
 * A connected client, as shown to an operator.
 *
 * @param role whether it publishes or subscribes
 * @param name the display name that the client states
 * @param user the user's name; null if the client's user has none
 * @param address the client's address
 * @param transport name of the transport
 * @param obstacle why the client uses no better transport that the broker has offered; empty if it uses the best one,
 *     or has not asked
 * @param features bits of the optional parts of the protocol that the client supports
 * @param sinceMs when the broker accepted it, in milliseconds since the epoch
 * @param ended what was received in its buffers and sent in its subscriptions that have ended
 */
record ConnectedClient(
        Role role,
        String name,
        String user,
        String address,
        String transport,
        String obstacle,
        long features,
        long sinceMs,
        TrafficSum ended) {}

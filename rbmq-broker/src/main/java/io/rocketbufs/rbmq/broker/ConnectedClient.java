package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Role;

/**
 * A connected client, as shown to an operator.
 *
 * @param role whether the client publishes or subscribes
 * @param name the display name that the client has chosen
 * @param user the user's name; null if there is no user or the user has no name
 * @param address the client's address
 * @param transport name of the transport
 * @param obstacle why the client does not use a better transport that the broker has offered; empty if the client uses
 *     the best transport or has not asked for offers
 * @param features bits of the optional parts of the protocol that the client supports
 * @param sinceMs time at which the broker accepted the client, in milliseconds since the epoch
 * @param ended the data received in the client's ended buffers and sent in its ended subscriptions
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

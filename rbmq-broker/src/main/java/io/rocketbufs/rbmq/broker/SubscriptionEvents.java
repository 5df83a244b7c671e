package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.metrics.SubscriptionState;

/**
 * A callback that forwards subscription events to the traffic counters and to groups.
 *
 * <p><b>Thread-safety:</b> any thread.
 *
 * @param clients the traffic counters, called first because they need the topics of members' buffers, which the groups
 *     remove
 * @param groups the groups, which are also called for buffers that do not belong to a group member
 */
record SubscriptionEvents(ConnectedClients clients, Groups groups) implements SubscriptionCallback {
    @Override
    public void onSubscribed(int bufferId, Connection connection) {
        groups.onSubscribed(bufferId, connection);
    }

    @Override
    public void onFinalState(SubscriptionState last, Connection connection) {
        clients.onFinalState(last, connection);
    }

    @Override
    public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
        clients.onSubscriptionEnd(bufferId, connection, undelivered, reason);
        groups.onSubscriptionEnd(bufferId, connection, undelivered, reason);
    }
}

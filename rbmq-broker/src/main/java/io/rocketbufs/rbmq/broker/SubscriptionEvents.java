package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.metrics.SubscriptionState;

/**
 * Passes the events of subscriptions to the traffic counters and to groups.
 *
 * <p><b>Thread-safety:</b> any thread.
 *
 * @param clients the counters, called first: they need the topics of members' buffers, which groups forget
 * @param groups the groups, also called with the buffers of other subscribers
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

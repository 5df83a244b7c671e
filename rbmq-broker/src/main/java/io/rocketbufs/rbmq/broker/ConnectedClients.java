package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.metrics.SubscriptionState;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/**
 * The connected clients, and the counters of subscriptions that have ended. Without these counters, the reported number
 * of sent bytes would decrease when a subscription ends.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ConnectedClients implements SubscriptionCallback {
    private final Topics topics;
    private final IntFunction<String> topicOf;
    private final Map<Connection, ConnectedClient> clients = new ConcurrentHashMap<>();
    private final TrafficSum ended = new TrafficSum();
    private final LongAdder unsentLength = new LongAdder();

    /**
     * Creates an empty set of clients.
     *
     * @param topicOf maps the broker's id of a buffer to its topic; null if there is none
     */
    ConnectedClients(Topics topics, IntFunction<String> topicOf) {
        this.topics = topics;
        this.topicOf = topicOf;
    }

    void add(Connection connection, ConnectedClient client) {
        clients.put(connection, client);
    }

    void remove(Connection connection) {
        clients.remove(connection);
    }

    /** Returns all clients. */
    Collection<ConnectedClient> all() {
        return List.copyOf(clients.values());
    }

    /** Returns the amount of data sent in all subscriptions that have ended. */
    Traffic ended() {
        return ended.read();
    }

    /** Returns the number of bytes that were not sent because subscriptions ended without a request to unsubscribe. */
    long unsentLength() {
        return unsentLength.sum();
    }

    @Override
    public void onFinalState(SubscriptionState last, Connection connection) {
        ended.addSent(last);
        ConnectedClient client = clients.get(connection);
        if (client != null) {
            client.ended().addSent(last);
        }
        String topic = topicOf.apply(last.bufferId());
        if (topic != null) {
            topics.addEnded(topic, last);
        }
    }

    @Override
    public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
        if (reason != null) {
            unsentLength.add(undelivered);
        }
    }
}

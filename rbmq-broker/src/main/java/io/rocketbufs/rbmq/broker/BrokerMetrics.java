package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.web.ServerMetrics;
import java.util.function.Function;

/**
 * The metrics of a broker and of the framework, in the Prometheus text format.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BrokerMetrics {
    private final Broker broker;
    private final ServerMetrics all;
    /**
     * The state, read once per scrape for all metrics, because reading it visits every topic while holding the lock.
     */
    private volatile BrokerState state;

    BrokerMetrics(Broker broker, MetricsSource framework) {
        this.broker = broker;
        this.state = broker.state();
        this.all = new ServerMetrics(framework);
        gauge("rbmq.publishers", "Connected publishers", BrokerState::publisherCount);
        gauge("rbmq.subscribers", "Connected subscribers", BrokerState::subscriberCount);
        gauge("rbmq.topics", "Topics with a publisher or a subscriber", BrokerState::topicCount);
        counter("rbmq.received.bytes", "Bytes received from publishers", BrokerState::receivedLength);
        counter("rbmq.received.transfers", "Transfers received from publishers", BrokerState::transferCount);
        counter("rbmq.refused.connections", "Connections refused", BrokerState::refusedCount);
        for (RefusalCounts.Reason reason : RefusalCounts.Reason.values()) {
            all.counter(
                    "rbmq.refusals",
                    "Clients and requests refused: missing or wrong token, missing right, or max-connections",
                    "reason",
                    reason.label(),
                    () -> state.refusals().get(reason.label()));
        }
        counter("rbmq.malformed.frames", "Malformed frames that subscribers reported", BrokerState::malformedCount);
        counter(
                "rbmq.group.redelivered.messages",
                "Messages that a member of a group did not consume, and that another member receives",
                BrokerState::redeliveredCount);
        counter(
                "rbmq.group.discarded.bytes",
                "Bytes that waited for a group when its last member left, or its publisher's drain timeout expired",
                BrokerState::discardedLength);
    }

    /** Returns the current value of every metric. */
    String scrape() {
        state = broker.state();
        return all.scrape();
    }

    private void gauge(String name, String description, Function<BrokerState, Number> number) {
        all.gauge(name, description, () -> number.apply(state));
    }

    private void counter(String name, String description, Function<BrokerState, Number> number) {
        all.counter(name, description, () -> number.apply(state));
    }
}

package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.web.ServerMetrics;
import java.util.function.Function;

/**
 * Shows a broker's numbers, and those of the framework below it, in Prometheus' text format.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BrokerMetrics {
    private final Broker broker;
    private final ServerMetrics all;
    /** Read once for all numbers of a scrape: it looks at every topic, under their lock. */
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
        counter("rbmq.malformed.frames", "Malformed frames that subscribers reported", BrokerState::malformedCount);
    }

    /** Everything, now. */
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

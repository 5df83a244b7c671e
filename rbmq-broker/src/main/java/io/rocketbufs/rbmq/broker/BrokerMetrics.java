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
        gauge("rbmq.slow.subscribers", "Subscribers that delay a publisher", BrokerState::slowSubscriberCount);
        gauge(
                "rbmq.slow.pending.bytes",
                "Bytes that wait for slow subscribers in the buffers of the publishers that they delay",
                BrokerState::slowPendingLength);
        counter("rbmq.delays", "Delays of a publisher on one topic by a subscriber", BrokerState::delayCount);
        counter("rbmq.delay.seconds", "Total time of these delays", state -> state.delayMs() / 1e3);
        counter("rbmq.received.bytes", "Bytes received from publishers", BrokerState::receivedLength);
        counter("rbmq.received.transfers", "Transfers received from publishers", BrokerState::transferCount);
        counter("rbmq.refused.connections", "Connections refused", BrokerState::refusedCount);
        for (RefusalCounts.Reason reason : RefusalCounts.Reason.values()) {
            all.counter(
                    "rbmq.refusals",
                    "Clients and requests refused: missing or wrong token, missing right, or a limit",
                    "reason",
                    reason.label(),
                    () -> state.refusals().get(reason.label()));
        }
        gauge("rbmq.kept.messages", "Messages of departed publishers that are kept", BrokerState::keptCount);
        gauge("rbmq.kept.bytes", "Bytes of memory that these messages occupy", BrokerState::keptLength);
        counter(
                "rbmq.kept.removals",
                "Messages of departed publishers that were removed because of rbmq.limits.kept-bytes",
                BrokerState::keptRemovedCount);
        counter("rbmq.malformed.frames", "Malformed frames that subscribers reported", BrokerState::malformedCount);
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

package io.rocketbufs.rbmq.broker;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.metrics.RocketBufsMetrics;
import java.util.function.ToDoubleFunction;

/**
 * Shows a broker's numbers, and those of the framework below it, in Prometheus' text format.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BrokerMetrics implements MeterBinder {
    private final Broker broker;
    private final RocketBufsMetrics framework;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    /** Read once for all numbers of a scrape: it looks at every topic, under their lock. */
    private volatile BrokerState state;

    BrokerMetrics(Broker broker, MetricsSource framework) {
        this.broker = broker;
        this.state = broker.state();
        this.framework = new RocketBufsMetrics(framework);
        bindTo(registry);
        this.framework.bindTo(registry);
    }

    @Override
    public void bindTo(MeterRegistry to) {
        gauge(to, "rbmq.publishers", "Connected publishers", BrokerState::publisherCount);
        gauge(to, "rbmq.subscribers", "Connected subscribers", BrokerState::subscriberCount);
        gauge(to, "rbmq.topics", "Topics with a publisher or a subscriber", BrokerState::topicCount);
        counter(to, "rbmq.received.bytes", "Bytes received from publishers", BrokerState::receivedLength);
        counter(to, "rbmq.received.transfers", "Transfers received from publishers", BrokerState::transferCount);
        counter(to, "rbmq.refused.connections", "Connections refused", BrokerState::refusedCount);
        counter(to, "rbmq.malformed.frames", "Malformed frames that subscribers reported", BrokerState::malformedCount);
    }

    /** Everything, now. */
    String scrape() {
        state = broker.state();
        framework.refresh();
        return registry.scrape();
    }

    private void gauge(MeterRegistry to, String name, String description, ToDoubleFunction<BrokerState> number) {
        Gauge.builder(name, this, metrics -> number.applyAsDouble(metrics.state))
                .description(description)
                .register(to);
    }

    private void counter(MeterRegistry to, String name, String description, ToDoubleFunction<BrokerState> number) {
        FunctionCounter.builder(name, this, metrics -> number.applyAsDouble(metrics.state))
                .description(description)
                .register(to);
    }
}

package io.rocketbufs.livestream.relay;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.metrics.RocketBufsMetrics;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Shows a relay's numbers, and those of the framework below it, in Prometheus' text format.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RelayMetrics implements MeterBinder {
    private final Relay relay;
    private final RocketBufsMetrics framework;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private MultiGauge chunkAges;

    RelayMetrics(Relay relay, MetricsSource framework) {
        this.relay = relay;
        this.framework = new RocketBufsMetrics(framework);
        bindTo(registry);
        this.framework.bindTo(registry);
    }

    @Override
    public void bindTo(MeterRegistry to) {
        gauge(to, "livestream.edges", "Connected edges", Relay::edgeCount);
        gauge(to, "livestream.streams", "Streams", source -> source.streams().count());
        RelayCounters counters = relay.counters();
        counter(to, "livestream.ingest.bytes", "Bytes of media from sources", counters.receivedBytes);
        counter(to, "livestream.ingest.chunks", "Complete chunks from sources", counters.chunks);
        counter(to, "livestream.ingest.truncations", "Chunks from sources that were cut off", counters.truncations);
        counter(to, "livestream.refusals", "Sources and edges that were refused", counters.refusals);
        chunkAges = MultiGauge.builder("livestream.chunk.age")
                .description("Seconds since the newest chunk of a stream was complete")
                .baseUnit("seconds")
                .register(to);
    }

    /** Everything, now. */
    synchronized String scrape() {
        List<MultiGauge.Row<?>> ages = relay.streams().states().stream()
                .filter(state -> state.chunkAgeMs() >= 0)
                .<MultiGauge.Row<?>>map(
                        state -> MultiGauge.Row.of(Tags.of("stream", state.name()), state.chunkAgeMs() / 1e3))
                .toList();
        chunkAges.register(ages, true);
        framework.refresh();
        return registry.scrape();
    }

    private void gauge(MeterRegistry to, String name, String description, ToDoubleFunction<Relay> number) {
        Gauge.builder(name, relay, number).description(description).register(to);
    }

    private static void counter(MeterRegistry to, String name, String description, LongAdder counter) {
        FunctionCounter.builder(name, counter, LongAdder::sum)
                .description(description)
                .register(to);
    }
}

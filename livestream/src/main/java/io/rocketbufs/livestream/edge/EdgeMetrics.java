package io.rocketbufs.livestream.edge;

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
 * Shows an edge's numbers, and those of the framework below it, in Prometheus' text format.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class EdgeMetrics implements MeterBinder {
    private final Edge edge;
    private final RocketBufsMetrics framework;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private MultiGauge chunkAges;

    EdgeMetrics(Edge edge, MetricsSource framework) {
        this.edge = edge;
        this.framework = new RocketBufsMetrics(framework);
        bindTo(registry);
        this.framework.bindTo(registry);
    }

    @Override
    public void bindTo(MeterRegistry to) {
        gauge(to, "livestream.viewers", "Connections of viewers", Edge::viewerCount);
        gauge(to, "livestream.streams", "Streams", source -> source.streams().count());
        gauge(
                to,
                "livestream.relay.connected",
                "1 while connected to the relay",
                source -> source.isConnected() ? 1 : 0);
        EdgeCounters counters = edge.counters();
        counter(to, "livestream.chunks", "Chunks from the relay", counters.chunks);
        counter(to, "livestream.received.bytes", "Bytes of media from the relay", counters.receivedBytes);
        counter(to, "livestream.malformed", "What came from the relay and was no chunk", counters.malformed);
        counter(to, "livestream.gaps", "Times that the relay left something out", counters.gaps);
        counter(to, "livestream.delivered.chunks", "Chunks that viewers got whole", counters.delivered);
        counter(to, "livestream.delivered.bytes", "Bytes of media that viewers got", counters.deliveredBytes);
        counter(to, "livestream.overwritten", "Chunks overwritten while a viewer got them", counters.overwritten);
        counter(to, "livestream.refusals", "Connections of viewers that were too many", counters.refusals);
        counter(to, "livestream.gone", "Chunks that viewers wanted too late", counters.gone);
        chunkAges = MultiGauge.builder("livestream.chunk.age")
                .description("Seconds since the newest chunk of a stream came")
                .baseUnit("seconds")
                .register(to);
    }

    /** Everything, now. */
    synchronized String scrape() {
        List<MultiGauge.Row<?>> ages = edge.streams().all().stream()
                .filter(stream -> !stream.view().isEmpty())
                .<MultiGauge.Row<?>>map(
                        stream -> MultiGauge.Row.of(Tags.of("stream", stream.name()), stream.chunkAgeMs() / 1e3))
                .toList();
        chunkAges.register(ages, true);
        framework.refresh();
        return registry.scrape();
    }

    private void gauge(MeterRegistry to, String name, String description, ToDoubleFunction<Edge> number) {
        Gauge.builder(name, edge, number).description(description).register(to);
    }

    private static void counter(MeterRegistry to, String name, String description, LongAdder counter) {
        FunctionCounter.builder(name, counter, LongAdder::sum)
                .description(description)
                .register(to);
    }
}

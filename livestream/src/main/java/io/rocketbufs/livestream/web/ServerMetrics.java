package io.rocketbufs.livestream.web;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.metrics.RocketBufsMetrics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Shows a server's numbers, and those of the framework below it, in Prometheus' text format.
 *
 * <p><b>Thread-safety:</b> any thread, once all are added.
 */
public final class ServerMetrics {
    private final RocketBufsMetrics framework;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MultiGauge chunkAges;
    private final Supplier<Map<String, Long>> chunkAgesMs;

    /**
     * The framework's numbers, and the age of each stream's newest chunk.
     *
     * @param chunkAge what that is, for people
     * @param chunkAgesMs by the stream's name, of those that have a chunk
     */
    public ServerMetrics(MetricsSource framework, String chunkAge, Supplier<Map<String, Long>> chunkAgesMs) {
        this.framework = new RocketBufsMetrics(framework);
        this.chunkAgesMs = chunkAgesMs;
        this.chunkAges = MultiGauge.builder("livestream.chunk.age")
                .description(chunkAge)
                .baseUnit("seconds")
                .register(registry);
        this.framework.bindTo(registry);
    }

    /** Adds a number that goes up and down. */
    public void gauge(String name, String description, Supplier<Number> number) {
        Gauge.builder(name, number).description(description).register(registry);
    }

    /** Adds a number that goes up. */
    public void counter(String name, String description, LongAdder counter) {
        FunctionCounter.builder(name, counter, LongAdder::sum)
                .description(description)
                .register(registry);
    }

    /** Everything, now. */
    public synchronized String scrape() {
        List<MultiGauge.Row<?>> ages = chunkAgesMs.get().entrySet().stream()
                .<MultiGauge.Row<?>>map(age -> MultiGauge.Row.of(Tags.of("stream", age.getKey()), age.getValue() / 1e3))
                .toList();
        chunkAges.register(ages, true);
        framework.refresh();
        return registry.scrape();
    }
}

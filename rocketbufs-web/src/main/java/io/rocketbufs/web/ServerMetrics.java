package io.rocketbufs.web;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.metrics.ProcessMetrics;
import io.rocketbufs.metrics.RocketBufsMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A registry of the metrics of a server and of the framework. It outputs the metrics in the Prometheus text format.
 *
 * <p><b>Thread-safety:</b> any thread may use it once all metrics have been added.
 */
public final class ServerMetrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<Runnable> refreshes = new ArrayList<>();
    private final List<JvmGcMetrics> collectors = new ArrayList<>();

    private ServerMetrics() {}

    /** Creates a registry that contains the framework's metrics. */
    public ServerMetrics(MetricsSource framework) {
        RocketBufsMetrics metrics = new RocketBufsMetrics(framework);
        metrics.bindTo(registry);
        refreshes.add(metrics::refresh);
    }

    /**
     * Returns a registry that contains only the framework's process-wide metrics, not the metrics of each connection
     * and buffer.
     */
    public static ServerMetrics ofProcess(MetricsSource framework) {
        ServerMetrics metrics = new ServerMetrics();
        new ProcessMetrics(framework).bindTo(metrics.registry);
        return metrics;
    }

    /** Adds the metrics of the JVM and of the process. */
    public void addJvm() {
        JvmGcMetrics measured = new JvmGcMetrics();
        collectors.add(measured);
        List.of(
                        measured,
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new ClassLoaderMetrics(),
                        new ProcessorMetrics(),
                        new FileDescriptorMetrics(),
                        new UptimeMetrics())
                .forEach(each -> each.bindTo(registry));
    }

    /** Adds a gauge. */
    public void gauge(String name, String description, Supplier<Number> number) {
        Gauge.builder(name, number).description(description).register(registry);
    }

    /**
     * Adds a gauge of a duration, with one time series for each value of a label.
     *
     * @param millis supplies the durations in milliseconds, by label value, at each scrape
     */
    public void durations(String name, String description, String label, Supplier<Map<String, Long>> millis) {
        MultiGauge gauges = MultiGauge.builder(name)
                .description(description)
                .baseUnit("seconds")
                .register(registry);
        refreshes.add(() -> gauges.register(
                millis.get().entrySet().stream()
                        .<MultiGauge.Row<?>>map(
                                entry -> MultiGauge.Row.of(Tags.of(label, entry.getKey()), entry.getValue() / 1e3))
                        .toList(),
                true));
    }

    /** Adds a counter. */
    public void counter(String name, String description, Supplier<Number> number) {
        counter(name, description, Tags.empty(), number);
    }

    /** Adds the time series of a counter for the given value of a label. */
    public void counter(String name, String description, String label, String value, Supplier<Number> number) {
        counter(name, description, Tags.of(label, value), number);
    }

    private void counter(String name, String description, Tags tags, Supplier<Number> number) {
        // The registry keeps only a weak reference to the object that it reads, so that object must not be the
        // supplier.
        FunctionCounter.builder(name, this, metrics -> number.get().doubleValue())
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** Returns the current values of all metrics. */
    public synchronized String scrape() {
        refreshes.forEach(Runnable::run);
        return registry.scrape();
    }

    /** Stops measuring the JVM. Idempotent. */
    @Override
    public void close() {
        collectors.forEach(JvmGcMetrics::close);
    }
}

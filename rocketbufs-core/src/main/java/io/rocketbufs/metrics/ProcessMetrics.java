package io.rocketbufs.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * A binder that exposes only the process-wide counters in a Micrometer registry. Suitable for programs that have too
 * many buffers and connections for {@link RocketBufsMetrics}.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class ProcessMetrics implements MeterBinder {
    private final MetricsSource source;

    /** Creates a binder for the counters of the given source. */
    public ProcessMetrics(MetricsSource source) {
        this.source = source;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("rocketbufs.memory.used", source, MetricsSource::memoryInUse)
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("rocketbufs.memory.reserved", source, MetricsSource::memoryReserved)
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("rocketbufs.certificate.expiry", source, MetricsSource::certificateExpirySeconds)
                .description("Time until the first certificate of this process expires; negative if it has expired")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("rocketbufs.connections", source, MetricsSource::connectionCount)
                .register(registry);
    }
}

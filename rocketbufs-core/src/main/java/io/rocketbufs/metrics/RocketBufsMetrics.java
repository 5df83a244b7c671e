package io.rocketbufs.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * A binder that exposes one process's counters in a Micrometer registry, with a series for each buffer, subscription
 * and connection.
 *
 * <p>Series appear and disappear with the buffers, subscriptions and connections that they describe. Call
 * {@link #refresh()} before each read of the registry, such as a scrape.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class RocketBufsMetrics implements MeterBinder {
    private final MetricsSource source;
    private final List<Runnable> refreshes = new ArrayList<>();

    /** Creates a binder for the counters of the given source. */
    public RocketBufsMetrics(MetricsSource source) {
        this.source = source;
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        new ProcessMetrics(source).bindTo(registry);
        bindConnections(registry);
        bindInputs(registry);
        bindOutputs(registry);
        bindSubscriptions(registry);
        refresh();
    }

    /** Updates the series to match the current buffers, subscriptions and connections. */
    public synchronized void refresh() {
        refreshes.forEach(Runnable::run);
    }

    private void bindConnections(MeterRegistry registry) {
        Map<String, ToDoubleFunction<ConnectionState>> numbers = new LinkedHashMap<>();
        numbers.put("rocketbufs.connection.sent.frames", ConnectionState::sentCount);
        numbers.put("rocketbufs.connection.received.frames", ConnectionState::receivedCount);
        bind(registry, numbers, source::connections, state -> Tags.of("peer", state.peer()));
    }

    private void bindInputs(MeterRegistry registry) {
        Map<String, ToDoubleFunction<InputState>> numbers = new LinkedHashMap<>();
        numbers.put("rocketbufs.input.capacity.bytes", InputState::capacity);
        numbers.put("rocketbufs.input.received.bytes", InputState::receivedLength);
        numbers.put("rocketbufs.input.consumed.bytes", InputState::consumedLength);
        numbers.put("rocketbufs.input.lost.bytes", InputState::lostLength);
        numbers.put("rocketbufs.input.transfers", InputState::transferCount);
        numbers.put("rocketbufs.input.credit.updates", InputState::creditCount);
        numbers.put("rocketbufs.input.delay.seconds", state -> state.delayMs() / 1e3);
        bind(
                registry,
                numbers,
                () -> source.connections().stream()
                        .flatMap(connection -> connection.inputs().stream())
                        .toList(),
                state -> Tags.of("peer", state.peer(), "buffer", Integer.toString(state.bufferId())));
    }

    private void bindOutputs(MeterRegistry registry) {
        Map<String, ToDoubleFunction<OutputState>> numbers = new LinkedHashMap<>();
        numbers.put("rocketbufs.output.capacity.bytes", OutputState::capacity);
        numbers.put("rocketbufs.output.delivered.bytes", OutputState::deliveredLength);
        numbers.put("rocketbufs.output.deliveries", OutputState::deliveredCount);
        numbers.put("rocketbufs.output.refusals", OutputState::refusedCount);
        bind(
                registry,
                numbers,
                source::outputs,
                state -> Tags.of(
                        "output", Integer.toString(state.output()), "buffer", Integer.toString(state.bufferId())));
    }

    private void bindSubscriptions(MeterRegistry registry) {
        Map<String, ToDoubleFunction<SubscriptionState>> numbers = new LinkedHashMap<>();
        numbers.put("rocketbufs.subscription.sent.bytes", SubscriptionState::sentLength);
        numbers.put("rocketbufs.subscription.pending.bytes", SubscriptionState::pendingLength);
        numbers.put("rocketbufs.subscription.lost.bytes", SubscriptionState::lostLength);
        numbers.put("rocketbufs.subscription.transfers", SubscriptionState::transferCount);
        numbers.put("rocketbufs.subscription.starvations", SubscriptionState::starvedCount);
        numbers.put("rocketbufs.subscription.delay.seconds", state -> state.delayMs() / 1e3);
        bind(
                registry,
                numbers,
                source::subscriptions,
                state -> Tags.of("peer", state.peer(), "buffer", Integer.toString(state.bufferId())));
    }

    private <T> void bind(
            MeterRegistry registry,
            Map<String, ToDoubleFunction<T>> numbers,
            Supplier<List<T>> states,
            Function<T, Tags> tags) {
        Map<MultiGauge, ToDoubleFunction<T>> gauges = new LinkedHashMap<>();
        numbers.forEach((name, number) -> gauges.put(MultiGauge.builder(name).register(registry), number));
        refreshes.add(() -> {
            List<T> now = states.get();
            gauges.forEach((gauge, number) -> gauge.register(
                    now.stream()
                            .map(state -> MultiGauge.Row.of(tags.apply(state), number.applyAsDouble(state)))
                            .toList(),
                    true));
        });
    }
}

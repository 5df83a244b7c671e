package io.rocketbufs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rocketbufs.options.SlowPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RocketBufsMetricsTest {
    private final List<ConnectionState> endpoints = new ArrayList<>();
    private final List<OutputState> outputs = new ArrayList<>();
    private final List<SubscriptionState> subscriptions = new ArrayList<>();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RocketBufsMetrics metrics = new RocketBufsMetrics(new Source());

    private final class Source implements MetricsSource {
        @Override
        public List<ConnectionState> connections() {
            return endpoints;
        }

        @Override
        public List<OutputState> outputs() {
            return outputs;
        }

        @Override
        public List<SubscriptionState> subscriptions() {
            return subscriptions;
        }

        @Override
        public long memoryInUse() {
            return 4096;
        }

        @Override
        public long memoryReserved() {
            return 65536;
        }
    }

    @Test
    void shouldShowEveryCounterOfEveryBufferSubscriptionAndConnection() {
        endpoints.add(
                new ConnectionState("a:1", 11, 12, List.of(new InputState(7, "a:1", 21, 22, 23, 24, 25, 26, 2700))));
        outputs.add(new OutputState(1, 7, 31, 32, 33, 34));
        subscriptions.add(new SubscriptionState(7, "b:2", SlowPolicy.SKIP, 41, 42, 43, 44, 45, 4600, 4700, 48));
        metrics.bindTo(registry);

        assertThat(value("rocketbufs.memory.used")).isEqualTo(4096);
        assertThat(value("rocketbufs.memory.reserved")).isEqualTo(65536);
        assertThat(value("rocketbufs.connections")).isEqualTo(1);
        assertThat(value("rocketbufs.connection.sent.frames", "peer", "a:1")).isEqualTo(11);
        assertThat(value("rocketbufs.connection.received.frames", "peer", "a:1"))
                .isEqualTo(12);
        assertThat(value("rocketbufs.input.capacity.bytes", "peer", "a:1", "buffer", "7"))
                .isEqualTo(21);
        assertThat(value("rocketbufs.input.received.bytes", "peer", "a:1", "buffer", "7"))
                .isEqualTo(22);
        assertThat(value("rocketbufs.input.consumed.bytes", "peer", "a:1", "buffer", "7"))
                .isEqualTo(23);
        assertThat(value("rocketbufs.input.transfers", "peer", "a:1", "buffer", "7"))
                .isEqualTo(24);
        assertThat(value("rocketbufs.input.credit.updates", "peer", "a:1", "buffer", "7"))
                .isEqualTo(25);
        assertThat(value("rocketbufs.input.lost.bytes", "peer", "a:1", "buffer", "7"))
                .isEqualTo(26);
        assertThat(value("rocketbufs.input.delay.seconds", "peer", "a:1", "buffer", "7"))
                .isEqualTo(2.7);
        assertThat(value("rocketbufs.subscription.delay.seconds", "peer", "b:2", "buffer", "7"))
                .isEqualTo(4.7);
        assertThat(value("rocketbufs.output.capacity.bytes", "output", "1", "buffer", "7"))
                .isEqualTo(31);
        assertThat(value("rocketbufs.output.deliveries", "output", "1", "buffer", "7"))
                .isEqualTo(32);
        assertThat(value("rocketbufs.output.delivered.bytes", "output", "1", "buffer", "7"))
                .isEqualTo(33);
        assertThat(value("rocketbufs.output.refusals", "output", "1", "buffer", "7"))
                .isEqualTo(34);
        assertThat(value("rocketbufs.subscription.sent.bytes", "peer", "b:2", "buffer", "7"))
                .isEqualTo(41);
        assertThat(value("rocketbufs.subscription.pending.bytes", "peer", "b:2", "buffer", "7"))
                .isEqualTo(42);
        assertThat(value("rocketbufs.subscription.lost.bytes", "peer", "b:2", "buffer", "7"))
                .isEqualTo(43);
        assertThat(value("rocketbufs.subscription.transfers", "peer", "b:2", "buffer", "7"))
                .isEqualTo(44);
        assertThat(value("rocketbufs.subscription.starvations", "peer", "b:2", "buffer", "7"))
                .isEqualTo(45);
    }

    @Test
    void shouldDistinguishBuffersOfTwoOutputsWithTheSameId() {
        outputs.add(new OutputState(1, 7, 100, 1, 10, 0));
        outputs.add(new OutputState(2, 7, 100, 2, 20, 0));
        metrics.bindTo(registry);
        assertThat(value("rocketbufs.output.deliveries", "output", "1", "buffer", "7"))
                .isEqualTo(1);
        assertThat(value("rocketbufs.output.deliveries", "output", "2", "buffer", "7"))
                .isEqualTo(2);
    }

    @Test
    void shouldAddAndRemoveSeriesWithTheObjectsTheyDescribe() {
        metrics.bindTo(registry);
        List<Meter> before = registry.getMeters();
        outputs.add(new OutputState(1, 7, 100, 1, 10, 0));
        metrics.refresh();
        assertThat(value("rocketbufs.output.delivered.bytes", "output", "1", "buffer", "7"))
                .isEqualTo(10);
        outputs.set(0, new OutputState(1, 7, 100, 2, 20, 0));
        metrics.refresh();
        assertThat(value("rocketbufs.output.delivered.bytes", "output", "1", "buffer", "7"))
                .isEqualTo(20);
        outputs.clear();
        metrics.refresh();
        assertThat(registry.getMeters()).containsExactlyInAnyOrderElementsOf(before);
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }
}

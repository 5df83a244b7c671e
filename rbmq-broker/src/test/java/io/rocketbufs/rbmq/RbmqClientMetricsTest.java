package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.RbmqClientMetrics;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.WhenUnheard;
import io.rocketbufs.text.HostPort;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the metrics of clients in a Micrometer registry. */
@Timeout(600)
final class RbmqClientMetricsTest {
    private final RunningBroker running = new RunningBroker();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RbmqClient client = running.opened(RbmqClient.connect(
            ClientOptions.defaults().withBrokers(HostPort.of(running.address())).withWhenUnheard(WhenUnheard.DROP)));

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldCountPerClientPerTopicAndPerFilter() throws Exception {
        RbmqClientMetrics metrics = new RbmqClientMetrics(client);
        metrics.bindTo(registry);
        assertThat(value("rbmq.client.published.messages")).isZero();
        assertThat(value("rbmq.client.received.messages")).isZero();
        live(client.subscribe("a/+", message -> {
            throw new IllegalStateException("a mistake");
        }));
        live(client.subscribe("a/1", message -> {}));
        client.topic("a/1").announced().get(60, TimeUnit.SECONDS);
        client.topic("silent").announced().get(60, TimeUnit.SECONDS);
        for (int i = 0; i < 5; i++) {
            client.publish("a/1", "123");
        }
        client.publish("silent", "4567");
        client.flush().get(60, TimeUnit.SECONDS);
        await().until(() -> client.receivedCount() == 10);
        assertThat(registry.find("rbmq.client.topic.published.messages").meters())
                .isEmpty();
        metrics.refresh();

        assertThat(value("rbmq.client.published.messages")).isEqualTo(5);
        assertThat(value("rbmq.client.published.bytes")).isEqualTo(15);
        assertThat(value("rbmq.client.unconfirmed.messages")).isZero();
        assertThat(value("rbmq.client.unconfirmed.bytes")).isZero();
        assertThat(value("rbmq.client.unheard.messages")).isEqualTo(1);
        assertThat(value("rbmq.client.received.messages")).isEqualTo(10);
        assertThat(value("rbmq.client.received.bytes")).isEqualTo(30);
        assertThat(value("rbmq.client.lost.bytes")).isZero();
        assertThat(value("rbmq.client.failed.messages")).isEqualTo(5);
        assertThat(value("rbmq.client.malformed.buffers")).isZero();
        assertThat(value("rbmq.client.omitted.names")).isZero();

        assertThat(value("rbmq.client.topic.published.messages", "topic", "a/1"))
                .isEqualTo(5);
        assertThat(value("rbmq.client.topic.published.bytes", "topic", "a/1")).isEqualTo(15);
        assertThat(value("rbmq.client.topic.unconfirmed.messages", "topic", "a/1"))
                .isZero();
        assertThat(value("rbmq.client.topic.unconfirmed.bytes", "topic", "a/1")).isZero();
        assertThat(value("rbmq.client.topic.unheard.messages", "topic", "silent"))
                .isEqualTo(1);

        assertThat(value("rbmq.client.filter.received.messages", "filter", "a/1"))
                .isEqualTo(5);
        assertThat(value("rbmq.client.filter.received.bytes", "filter", "a/+")).isEqualTo(15);
        assertThat(value("rbmq.client.filter.failed.messages", "filter", "a/+")).isEqualTo(5);
        assertThat(value("rbmq.client.filter.failed.messages", "filter", "a/1")).isZero();
        assertThat(value("rbmq.client.filter.lost.bytes", "filter", "a/1")).isZero();
        assertThat(value("rbmq.client.filter.malformed.buffers", "filter", "a/1"))
                .isZero();
    }

    @Test
    void shouldShowWhatTheBrokerHasNotConfirmed() throws Exception {
        RbmqClientMetrics metrics = new RbmqClientMetrics(client);
        metrics.bindTo(registry);
        Subscription paused = live(client.subscribe("t", message -> {}));
        paused.pause();
        client.topic("t").announced().get(60, TimeUnit.SECONDS);
        client.publish("t", "1234");
        metrics.refresh();
        // The broker sends a confirmation only after a quarter of the buffer or on request.
        assertThat(value("rbmq.client.unconfirmed.messages")).isEqualTo(1);
        assertThat(value("rbmq.client.topic.unconfirmed.messages", "topic", "t"))
                .isEqualTo(1);
        assertThat(value("rbmq.client.topic.unconfirmed.bytes", "topic", "t")).isEqualTo(8);
        paused.close();
    }

    @Test
    void shouldCountTheDelaysThatTheClientCausesAndSuffers() throws Exception {
        new RbmqClientMetrics(client).bindTo(registry);
        Subscription paused = live(client.subscribe("t", message -> {}));
        paused.pause();
        client.topic("t").announced().get(60, TimeUnit.SECONDS);
        await().until(() -> {
            client.tryPublish("t", new byte[100_000]);
            return value("rbmq.client.caused.delays") == 1 && value("rbmq.client.suffered.delays") == 1;
        });
        paused.close();
    }

    @Test
    void shouldKeepTheCountersOfSubscriptionsThatHaveEnded() throws Exception {
        RbmqClientMetrics metrics = new RbmqClientMetrics(client);
        metrics.bindTo(registry);
        for (int round = 1; round <= 3; round++) {
            int expected = round;
            Subscription subscription = live(client.subscribe("t", message -> {}));
            client.topic("t").announced().get(60, TimeUnit.SECONDS);
            metrics.refresh();
            // Succeeds once the publisher has been notified of the subscriber.
            await().until(() -> client.publish("t", "1") == PublishResult.PUBLISHED);
            await().until(() -> client.receivedCount() == expected);
            assertThat(value("rbmq.client.filter.received.messages", "filter", "t"))
                    .isEqualTo(round);
            subscription.close();
            subscription.closed().get(60, TimeUnit.SECONDS);
            metrics.refresh();
            metrics.refresh();
            assertThat(value("rbmq.client.filter.received.messages", "filter", "t"))
                    .isEqualTo(round);
        }
    }

    @Test
    void shouldLimitTheNumberOfSeriesAndCountWhatItOmits() throws Exception {
        RbmqClientMetrics metrics = new RbmqClientMetrics(client, Tags.empty(), 2);
        metrics.bindTo(registry);
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            subscriptions.add(live(client.subscribe("f/" + i, message -> {})));
            subscriptions.add(live(client.subscribe("f/" + i, message -> {})));
            client.topic("t/" + i);
        }
        metrics.refresh();
        assertThat(registry.find("rbmq.client.topic.published.messages").meters())
                .hasSize(2);
        assertThat(registry.find("rbmq.client.filter.received.messages").meters())
                .hasSize(2);
        assertThat(value("rbmq.client.omitted.names")).isEqualTo(6);
        for (Subscription subscription : subscriptions) {
            subscription.close();
            subscription.closed().get(60, TimeUnit.SECONDS);
        }
        live(client.subscribe("f/5", message -> {}));
        metrics.refresh();
        // The series of filters without subscriptions remain and count towards the limit.
        assertThat(value("rbmq.client.omitted.names")).isEqualTo(3 + 1);
    }

    @Test
    void shouldDistinguishClientsByTheirTags() {
        RbmqClient other = running.opened(
                RbmqClient.connect(ClientOptions.defaults().withBrokers(HostPort.of(running.address()))));
        try (RbmqClientMetrics first = new RbmqClientMetrics(client, Tags.of("client", "first"), 10)) {
            first.bindTo(registry);
            new RbmqClientMetrics(other, Tags.of("client", "second"), 10).bindTo(registry);
            assertThatThrownBy(() -> new RbmqClientMetrics(other, Tags.of("client", "first"), 10).bindTo(registry))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("use tags that distinguish the clients");
        }
        assertThat(registry.getMeters())
                .isNotEmpty()
                .allMatch(meter -> "second".equals(meter.getId().getTag("client")));
        assertThatThrownBy(() -> new RbmqClientMetrics(client, Tags.empty(), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit=-1");
    }

    /** In such a registry, the ids of the meters differ from the registered ids. */
    @Test
    void shouldDistinguishClientsInARegistryWithCommonTags() {
        registry.config().commonTags("application", "test");
        RbmqClientMetrics first = new RbmqClientMetrics(client);
        first.bindTo(registry);
        RbmqClientMetrics second = new RbmqClientMetrics(client);
        assertThatThrownBy(() -> second.bindTo(registry))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("use tags that distinguish the clients");
        second.close();
        assertThat(value("rbmq.client.published.messages", "application", "test"))
                .isZero();
        first.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    /** A registry keeps only weak references to the sources of its meters. */
    @Test
    void shouldCountAfterTheApplicationHasDroppedTheBinder() throws Exception {
        WeakReference<Object> collected = bindAndDrop();
        await().until(() -> {
            System.gc();
            return collected.get() == null;
        });
        client.topic("t").announced().get(60, TimeUnit.SECONDS);
        await().until(() -> client.publish("t", "1") == PublishResult.PUBLISHED);
        await().until(() -> value("rbmq.client.filter.received.messages", "filter", "t") == 1);
        assertThat(value("rbmq.client.omitted.names")).isZero();
    }

    /**
     * Binds metrics, drops the binder, and returns a reference that the garbage collector clears together with all
     * unreachable objects.
     */
    private WeakReference<Object> bindAndDrop() throws Exception {
        live(client.subscribe("t", message -> {}));
        new RbmqClientMetrics(client).bindTo(registry);
        return new WeakReference<>(new Object());
    }

    @Test
    void shouldRemoveItsMetersAndBindAgain() {
        RbmqClientMetrics metrics = new RbmqClientMetrics(client);
        client.topic("t");
        metrics.bindTo(registry);
        int count = registry.getMeters().size();
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
        metrics.bindTo(registry);
        assertThat(registry.getMeters()).hasSize(count);
        assertThat(registry.find("rbmq.client.topic.published.messages").meters())
                .hasSize(1);
    }

    private static Subscription live(Subscription subscription) throws Exception {
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private double value(String name, String... tags) {
        Meter meter = registry.get(name).tags(tags).meter();
        return meter.measure().iterator().next().getValue();
    }
}

package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.ReconnectFixture.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.ReconnectSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.Unconfirmed;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the resources that reconnecting clients occupy. */
@Timeout(600)
final class ReconnectResourcesTest {
    /** The pools of the broker and of its clients. */
    private static final int POOL_COUNT = 2;

    private final Continuity seen = new Continuity();
    private RunningBroker running;
    private CuttableProxy proxy;
    private long number;

    @BeforeEach
    void start() throws Exception {
        running = new RunningBroker("rocketbufs.tcp.num-threads = 1");
        proxy = running.opened(new CuttableProxy(running.address()));
    }

    @AfterEach
    void close() {
        running.close();
    }

    @ParameterizedTest
    @EnumSource(Unconfirmed.class)
    @Tag("once")
    void shouldLeaveThreadsDescriptorsAndMemoryWhereTheyWereAfterManyReconnects(Unconfirmed unconfirmed)
            throws Exception {
        reconnect(unconfirmed, unconfirmed == Unconfirmed.RESEND ? 200 : 50);
    }

    @Test
    @Tag("slow")
    void shouldLeaveThreadsDescriptorsAndMemoryWhereTheyWereAfterAThousandReconnects() throws Exception {
        reconnect(Unconfirmed.RESEND, 1000);
    }

    private void reconnect(Unconfirmed unconfirmed, int count) throws Exception {
        Subscriber subscriber = running.subscriber(
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(SOON), seen);
        subscriber.subscribe("t", seen).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher(running.publisherSettings()
                .withBroker(proxy.address())
                .withReconnect(SOON)
                .withUnconfirmed(unconfirmed));
        TopicPublisher topic = publisher.topic("t");
        for (int i = 0; i < 10; i++) {
            reconnect(topic);
        }
        ProcessResources before = ProcessResources.settled();
        long heapBefore = ProcessResources.heapInUse();
        for (int i = 0; i < count; i++) {
            reconnect(topic);
        }
        await().untilAsserted(() -> {
            assertThat(ProcessResources.heapInUse()).isLessThan(heapBefore + (4 << 20));
            ProcessResources now = ProcessResources.now();
            now.assertNoLeakSince(before, count);
            now.assertNoMoreMemoryThan(before, POOL_COUNT);
            assertThat(running.clients().memoryInUse()).isLessThanOrEqualTo(2 << 20); // one buffer for each client
        });
        if (unconfirmed == Unconfirmed.RESEND) {
            assertThat(seen.faults()).isEmpty();
        }
    }

    /** Cuts both connections and waits until a message arrives over the new ones. */
    private void reconnect(TopicPublisher topic) {
        int accepted = proxy.acceptedCount();
        proxy.cut();
        long first = number;
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> {
            Continuity.publish(topic, number, number + 1);
            number++;
            return proxy.acceptedCount() >= accepted + 2 && seen.next("t") > first;
        });
    }

    @Test
    void shouldCloseAtOnceWhileItWaitsForTheNextAttempt() throws Exception {
        ReconnectSettings never = SOON.withDelays(3_600_000, 3_600_000);
        closeWhileLost(never);
    }

    @Test
    void shouldCloseAtOnceDuringAnAttempt() throws Exception {
        closeWhileLost(SOON);
    }

    private void closeWhileLost(ReconnectSettings reconnect) throws Exception {
        RocketBufs clients = running.clients();
        Subscriber subscriber = running.subscriber(
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(reconnect), seen);
        var subscription = subscriber.subscribe("t", seen);
        subscription.ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher(running.publisherSettings()
                .withBroker(proxy.address())
                .withReconnect(reconnect)
                .withDrainTimeout(3_600_000));
        publisher.topic("t").announced().get(60, TimeUnit.SECONDS);
        proxy.stopAnswering();
        await().until(() -> !publisher.isConnected() && !subscriber.isConnected());
        assertThat(publisher.publish("t", new byte[100]).toString()).isEqualTo("PUBLISHED");
        var flushed = publisher.flush();
        if (reconnect == SOON) {
            await().until(() -> proxy.acceptedCount() >= 4);
        } else {
            await().until(() -> threads() == 2);
        }
        publisher.close();
        subscriber.close();
        assertThat(publisher.closed()).isCompleted();
        assertThat(subscriber.closed()).isCompleted();
        assertThat(subscription.closed()).isCompleted();
        assertThat(flushed)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("1 of 1 messages were not confirmed by the broker");
        await().until(() -> threads() == 0);
        await().until(() -> clients.memoryInUse() == 0);
        await().until(() -> clients.metrics().connections().isEmpty());
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().endsWith("-reconnect"))
                .count();
    }
}

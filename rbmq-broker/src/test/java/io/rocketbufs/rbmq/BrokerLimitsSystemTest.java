package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of clients whose combined requests exceed the limits of the broker. */
@Tag("once")
@Timeout(600)
final class BrokerLimitsSystemTest {
    /** Number of bytes that exceeds the additional memory that a test's clients and the JVM may need. */
    private static final long MEMORY_MARGIN = 128L << 20;

    private final Messages messages = new Messages();
    private RunningBroker running;

    private void start(String limits) {
        running = new RunningBroker("rbmq.limits { " + limits + " }");
    }

    @AfterEach
    void close() {
        running.close();
    }

    private void announce(Publisher publisher, String topic) throws Exception {
        publisher.topic(topic).announced().get(60, TimeUnit.SECONDS);
    }

    private Subscription live(Subscriber subscriber, String filter) throws Exception {
        Subscription subscription = subscriber.subscribe(filter, messages);
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private long refusals(String reason) {
        return running.broker().state().refusals().get(reason);
    }

    @Test
    void shouldRefuseAConnectionTemporarilyWhenThereAreAsManyAsAllowed() throws Exception {
        start("connections = 2");
        Publisher publisher = running.publisher();
        Subscriber subscriber = running.subscriber();
        assertThatThrownBy(running::publisher)
                .hasMessageContaining(
                        "the broker has as many connections as rbmq.limits.connections=2 allows; try again"
                                + " when one has ended, or raise the limit")
                .isInstanceOfSatisfying(
                        TransportException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(TransportException.Code.RESOURCES));
        assertThat(refusals("connections")).isEqualTo(1);
        live(subscriber, "t");
        assertThat(publisher.topic("t").publish("1".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
        subscriber.close();
        await().ignoreExceptions().until(() -> running.publisher() != null);
    }

    @Test
    void shouldNotCountAConnectionThatWasRefused() throws Exception {
        start("connections = 1");
        Publisher publisher = running.publisher();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(running::subscriber).hasMessageContaining("rbmq.limits.connections=1");
        }
        publisher.close();
        await().ignoreExceptions().until(() -> running.subscriber() != null);
    }

    @Test
    void shouldCountConnectionsThatAreClosedBecauseTheyHaveNotGreeted() throws Exception {
        running = new RunningBroker("rocketbufs.ungreeted-connections = 2");
        List<Socket> silent = new ArrayList<>();
        try (LoggedLines logged = new LoggedLines()) {
            for (int i = 0; i < 5; i++) {
                Socket socket = running.opened(new Socket());
                socket.connect(running.address());
                silent.add(socket);
            }
            await().until(() -> refusals("ungreeted") == 3);
            assertThat(logged.with("sent no greeting, and more than rocketbufs.ungreeted-connections=2 connections"))
                    .hasSize(3);
        }
        silent.get(0).getInputStream().readAllBytes(); // blocks until the broker has closed the connection
        assertThat(new AdminApi(running).text("/metrics"))
                .contains("\nrbmq_refusals_total{reason=\"ungreeted\"} 3.0\n")
                .contains("\nrbmq_refusals_total{reason=\"greeting-timeout\"} 0.0\n");
        live(running.subscriber(), "t");
        assertThat(running.publisher().publish("t", "1".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
    }

    @Test
    void shouldCountConnectionsThatDoNotGreetInTime() throws Exception {
        running = new RunningBroker("rocketbufs.greeting-timeout = 200 ms");
        Socket silent = running.opened(new Socket());
        silent.connect(running.address());
        await().until(() -> refusals("greeting-timeout") == 1);
        silent.getInputStream().readAllBytes();
        assertThat(refusals("ungreeted")).isZero();
    }

    @Test
    void shouldCountTheTopicsOfAllPublishers() throws Exception {
        start("topics = 3");
        Publisher first = running.publisher();
        Publisher second = running.publisher();
        announce(first, "a");
        announce(first, "b");
        announce(second, "a");
        assertThatThrownBy(() -> announce(second, "c"))
                .hasStackTraceContaining("topic \"c\" exceeds rbmq.limits.topics=3, the limit across all publishers;"
                        + " close topics that are no longer needed, or raise the limit");
        assertThat(refusals("topics")).isEqualTo(1);
        live(running.subscriber(), "a");
        assertThat(first.topic("a").publish("1".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
        first.close();
        await().until(() -> running.broker().state().publisherCount() == 1);
        announce(second, "d");
        announce(second, "e");
        assertThatThrownBy(() -> announce(second, "f")).hasStackTraceContaining("rbmq.limits.topics=3");
    }

    @Test
    void shouldCountTheSubscriptionsOfAllSubscribers() throws Exception {
        start("subscriptions = 3");
        Subscriber first = running.subscriber();
        Subscriber second = running.subscriber();
        Subscription closed = live(first, "a");
        live(first, "a/#");
        live(second, "b");
        assertThatThrownBy(() -> live(second, "c"))
                .hasStackTraceContaining(
                        "subscription 2 to \"c\" exceeds rbmq.limits.subscriptions=3, the limit across all"
                                + " subscribers; use filters, or raise the limit");
        assertThat(refusals("subscriptions")).isEqualTo(1);
        closed.close();
        closed.closed().get(60, TimeUnit.SECONDS);
        live(second, "c");
        first.close();
        await().until(() -> running.broker().state().subscriberCount() == 1);
        await().untilAsserted(() -> live(second, "d"));
        assertThatThrownBy(() -> live(second, "e")).hasStackTraceContaining("rbmq.limits.subscriptions=3");
    }

    @Test
    void shouldCountBuffersBeyondTheMaximumCapacity() {
        running = new RunningBroker("rbmq.broker { capacity = 1 MiB, max-capacity = 1 MiB }");
        Publisher publisher = running.publisher(running.publisherSettings().withCapacities((1 << 20) + 1, 1 << 20));
        assertThatThrownBy(() -> announce(publisher, "a"))
                .hasStackTraceContaining("capacity=1048577 exceeds rbmq.broker.max-capacity=1048576");
        assertThat(refusals("max-capacity")).isEqualTo(1);
    }

    @Test
    void shouldCountTopicsBeyondTheLimitsOfAFilterAndOfAConnection() throws Exception {
        running = new RunningBroker("rbmq.broker.topics-per-filter = 2", "rbmq.limits.topics-per-connection = 3");
        Publisher publisher = running.publisher();
        announce(publisher, "a/1");
        announce(publisher, "a/2");
        Subscriber subscriber = running.subscriber();
        live(subscriber, "a/#");
        announce(publisher, "a/3"); // is left out
        await().until(() -> refusals("topics-per-filter") == 1);
        assertThatThrownBy(() -> live(running.subscriber(), "a/#"))
                .hasStackTraceContaining("matches 3 topics, more than rbmq.broker.topics-per-filter=2");
        assertThat(refusals("topics-per-filter")).isEqualTo(2);
        assertThat(refusals("topics")).isZero();
        live(subscriber, "+/1");
        assertThatThrownBy(() -> live(subscriber, "+/2"))
                .hasStackTraceContaining(
                        "the other filters of the connection 3, more than rbmq.limits.topics-per-connection=3");
        assertThat(refusals("topics")).isEqualTo(1);
        announce(running.publisher(), "b/1"); // is left out
        await().until(() -> refusals("topics") == 2);
        assertThat(refusals("topics-per-filter")).isEqualTo(2);
    }

    @Test
    void shouldCountBuffersBeyondTheLimitOfAGroupMember() throws Exception {
        start("shares-per-connection = 1");
        Subscriber subscriber = running.subscriber();
        SubscriptionOptions group = SubscriptionOptions.DEFAULTS.withGroup("g");
        subscriber.subscribe("a", messages, group).ready().get(60, TimeUnit.SECONDS);
        subscriber.subscribe("b", messages, group).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher();
        announce(publisher, "a");
        assertThat(refusals("shares-per-connection")).isZero();
        announce(publisher, "b");
        await().until(() -> refusals("shares-per-connection") == 1);
    }

    @Test
    void shouldRefuseTopicsAndSubscriptionsWhenTheProcessUsesTooMuchMemory() throws Exception {
        start("memory = 2 MiB");
        Publisher publisher = running.publisher();
        assertThatThrownBy(() -> announce(publisher, "a"))
                .rootCause()
                .hasMessageMatching(".*topic \"a\" is refused because the broker uses \\d+ MiB of memory, more than"
                        + " rbmq\\.limits\\.memory=2 MiB; close topics that are no longer needed, use smaller buffers,"
                        + " or raise the limit");
        Subscriber subscriber = running.subscriber();
        assertThatThrownBy(() -> live(subscriber, "a/#"))
                .hasStackTraceContaining("subscription 1 to \"a/#\" is refused because the broker uses");
        assertThat(refusals("memory")).isEqualTo(2);
        assertThat(running.broker().state().publisherCount()).isEqualTo(1);
        assertThat(running.broker().state().subscriberCount()).isEqualTo(1);
    }

    @Test
    void shouldServeItsClientsWhenMemoryRunsOutAndAcceptMoreTopicsWhenItIsGivenBack() throws Exception {
        running = new RunningBroker();
        Publisher publisher = running.publisher();
        Subscriber subscriber = running.subscriber();
        announce(publisher, "a");
        live(subscriber, "a");
        long limit = running.broker().state().memoryLength() + MEMORY_MARGIN;
        running.reload("rbmq.limits.memory = " + limit);
        announce(publisher, "b");
        live(subscriber, "b/#");
        try (MemoryPool pool = new MemoryPool(4 * MEMORY_MARGIN)) {
            use(pool.allocate(4 * MEMORY_MARGIN));
            await().until(() -> running.broker().state().memoryLength() > limit);
            assertThatThrownBy(() -> announce(publisher, "c"))
                    .rootCause()
                    .hasMessageMatching(".*topic \"c\" is refused because the broker uses \\d+ MiB of memory, more than"
                            + " rbmq\\.limits\\.memory=" + (limit >> 20) + " MiB; close topics .*");
            assertThatThrownBy(() -> live(subscriber, "c/#"))
                    .hasStackTraceContaining("to \"c/#\" is refused because the broker uses")
                    .hasStackTraceContaining("more than rbmq.limits.memory=" + (limit >> 20) + " MiB");
            assertThat(refusals("memory")).isEqualTo(2);
            publishTo(publisher, "a", "b");
            await().until(() -> messages.count() == 2);
        }
        await().until(() -> running.broker().state().memoryLength() < limit);
        announce(publisher, "d");
        live(subscriber, "d/#");
        publishTo(publisher, "a", "b", "d");
        await().until(() -> messages.count() == 5);
        assertThat(refusals("memory")).isEqualTo(2);
    }

    private static void publishTo(Publisher publisher, String... topics) {
        for (String topic : topics) {
            assertThat(publisher.publish(topic, "1".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    /** Writes to each page of a region, so that its memory counts as used by this process. */
    private static void use(Region region) {
        ByteBuffer all = region.window(0, (int) region.length());
        for (int offset = 0; offset < all.capacity(); offset += 4096) {
            all.put(offset, (byte) 1);
        }
    }
}

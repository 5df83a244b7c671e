package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.ReconnectFixture.SOON;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicBuffersLayout;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of a subscriber that reconnects to a broker that lists the buffers of one subscription long before those of
 * another.
 */
@Timeout(600)
final class ReconnectListingSystemTest {
    private static final int TOPIC = 1;
    private static final int FILTER = 2;
    private static final int BUFFER = 17;

    private final RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config());
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Runnable> late = new CompletableFuture<>();
    /** The numbers of the subscriptions requested over the second connection, in order of arrival. */
    private final List<Integer> requestedAgain = new CopyOnWriteArrayList<>();

    private volatile Runnable onRequestedAgain = () -> {};
    private final List<Gap> gaps = new CopyOnWriteArrayList<>();
    private final List<String> byTopic = new CopyOnWriteArrayList<>();
    private final List<String> byFilter = new CopyOnWriteArrayList<>();
    private final ROut out = new ROut(rocketBufs);
    private Subscriber subscriber;
    private Subscription topic;
    private Subscription filter;

    @BeforeEach
    void subscribe() throws Exception {
        out.createBuffer(
                BUFFER,
                1 << 16,
                BufferOptions.DEFAULTS.withFlowControl(true).withHold(true).withKeep(1 << 12));
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(this::accept);
        subscriber = Subscriber.connect(
                rocketBufs,
                ClientSettings.from(RunningBroker.config())
                        .withBroker(listener.address())
                        .withReconnect(SOON),
                new SubscriberCallback() {
                    @Override
                    public void onGap(Gap gap) {
                        gaps.add(gap);
                    }
                });
        topic = subscriber.subscribe("t", message -> byTopic.add(message.text()));
        filter = subscriber.subscribe("#", message -> byFilter.add(message.text()));
        live(topic);
        live(filter);
        publish("1");
        await().until(() -> byTopic.size() == 1 && byFilter.size() == 1);
    }

    @AfterEach
    void close() {
        subscriber.close();
        rocketBufs.close();
    }

    private static void live(Subscription subscription) throws Exception {
        subscription.ready().get(60, TimeUnit.SECONDS);
    }

    private void publish(String text) {
        byte[] bytes = text.getBytes(US_ASCII);
        ByteBuffer frame =
                ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes);
        Segment segment = out.getOutputSegment(BUFFER, frame.capacity(), true);
        segment.put(0, frame.array(), 0, frame.capacity());
        out.deliver(segment, frame.capacity());
    }

    // Methods that simulate the broker.

    private void accept(Connection connection) {
        connections.add(connection);
        connection.setCloseCallback(failure -> {});
        out.addConnection(connection);
        connection.sendControlMessage(WelcomeLayout.write(new Welcome(2, Features.FILTERS, 7, 1 << 16, 1 << 12)));
        connection.setControlMessageCallback(request -> {
            RbmqType type = RbmqMessage.type(request);
            if (type == RbmqType.TOPIC_UNSUBSCRIBE) {
                connection.sendControlMessage(NoticeLayout.ofSubscription(
                        RbmqType.TOPIC_UNSUBSCRIBED, NoticeLayout.subscription(request), ""));
                return;
            }
            int number = TopicLayout.subscription(request);
            if (connections.size() == 2) {
                requestedAgain.add(number);
                onRequestedAgain.run();
            }
            if (connections.size() == 2 && number == FILTER) {
                late.complete(() -> list(connection, FILTER));
            } else {
                list(connection, number);
            }
        });
    }

    private static void list(Connection connection, int number) {
        List<BuffersLayout.Entry> entries = List.of(new BuffersLayout.Entry(BUFFER, 1, 1 << 16));
        if (number == TOPIC) {
            connection.sendControlMessage(BuffersLayout.write(number, entries));
        } else if (number == FILTER) {
            connection.sendControlMessage(TopicBuffersLayout.write(number, "t", entries));
        }
        connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, number, ""));
    }

    /** Ends the connection and waits until the subscriber has handled the list of the first subscription. */
    private void reconnect() throws Exception {
        connections.get(0).close();
        late.get(60, TimeUnit.SECONDS);
        // Each of these takes a round trip, during which the subscriber could have subscribed to the buffer and read
        // it.
        live(subscriber.subscribe("marker/1", message -> {}));
        live(subscriber.subscribe("marker/2", message -> {}));
        live(subscriber.subscribe("marker/3", message -> {}));
    }

    @Test
    void shouldHandEachMessageToBothSubscriptions() throws Exception {
        reconnect();
        publish("2");
        late.join().run();
        publish("3");
        await().until(() -> byTopic.size() == 3 && byFilter.size() == 3);
        assertThat(byTopic).isEqualTo(byFilter).containsExactly("1", "2", "3");
        assertThat(gaps).isEmpty();
    }

    @Test
    void shouldRequestANewSubscriptionAfterAllThatItContinues() throws Exception {
        int count = 2000;
        for (int i = 1; i < count; i++) {
            subscriber.subscribe("many/" + i, message -> {});
        }
        live(subscriber.subscribe("many/" + count, message -> {}));
        CompletableFuture<Subscription> added = new CompletableFuture<>();
        onRequestedAgain = () -> {
            if (requestedAgain.size() == 1) {
                added.complete(subscriber.subscribe("new", message -> {}));
            }
        };
        connections.get(0).close();
        live(added.get(60, TimeUnit.SECONDS));
        assertThat(requestedAgain).hasSize(2 + count + 1).isSorted();
    }

    @Test
    void shouldReadTheBufferWhenTheLateSubscriptionIsRefused() throws Exception {
        reconnect();
        publish("2");
        connections.get(1).sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, FILTER, "no longer"));
        filter.closed().get(60, TimeUnit.SECONDS);
        publish("3");
        await().until(() -> byTopic.size() == 3);
        assertThat(byFilter).containsExactly("1");
        assertThat(gaps).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldContinueForTheLateSubscriptionWhenTheEarlyOneIsClosed(boolean isClosedBefore) throws Exception {
        reconnect();
        topic.close();
        if (isClosedBefore) {
            topic.closed().get(60, TimeUnit.SECONDS);
        }
        publish("2");
        late.join().run();
        await().until(() -> byFilter.size() == 2);
        assertThat(byFilter).containsExactly("1", "2");
        assertThat(byTopic).containsExactly("1");
        assertThat(gaps).isEmpty();
    }

    @Test
    void shouldReportNoGapWhenBothSubscriptionsEnd() throws Exception {
        reconnect();
        topic.close();
        topic.closed().get(60, TimeUnit.SECONDS);
        filter.close();
        late.join().run();
        filter.closed().get(60, TimeUnit.SECONDS);
        assertThat(gaps).isEmpty();
    }

    @Test
    void shouldContinueWhereItStoppedWhenTheConnectionIsLostAgainMeanwhile() throws Exception {
        reconnect();
        publish("2");
        connections.get(1).close();
        await().until(() -> connections.size() == 3);
        publish("3");
        await().until(() -> byTopic.size() == 3);
        assertThat(byTopic).containsExactly("1", "2", "3");
        assertThat(gaps).isEmpty();
    }
}

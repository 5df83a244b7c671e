package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.ReconnectSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests in which a publisher's buffer ends and the broker reports the publisher's departure only later, or never. The
 * test acts as the broker, with one publisher's buffer on topic "t".
 */
@Timeout(600)
final class PublisherEndSystemTest {
    private static final int BUFFER = 17;
    private static final int PUBLISHER = 3;
    private static final int CAPACITY = 1 << 16;

    private final Continuity seen = new Continuity();
    private final RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config());
    private final ROut out = new ROut(rocketBufs);
    private final Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));

    private volatile long brokerId = 1;
    private volatile boolean hasPublisher = true;
    private volatile Connection connection;
    private Subscription subscription;

    @BeforeEach
    void start() {
        out.createBuffer(BUFFER, CAPACITY, BufferOptions.DEFAULTS.withKeep(CAPACITY / 2));
        listener.setConnectionCallback(accepted -> {
            accepted.setCloseCallback(failure -> {});
            out.addConnection(accepted);
            accepted.setControlMessageCallback(request -> answer(accepted, request));
            accepted.sendControlMessage(WelcomeLayout.write(Welcome.of(brokerId, CAPACITY)));
            connection = accepted;
        });
    }

    @AfterEach
    void close() {
        rocketBufs.close();
    }

    private void answer(Connection from, ByteBuffer request) {
        RbmqType type = RbmqMessage.type(request);
        int number = TopicLayout.subscription(request);
        if (type == RbmqType.TOPIC_UNSUBSCRIBE) {
            from.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBED, number, ""));
            return;
        }
        if (hasPublisher && TopicLayout.filter(request).matches("t")) {
            from.sendControlMessage(
                    BuffersLayout.write(number, List.of(new BuffersLayout.Entry(BUFFER, PUBLISHER, CAPACITY))));
        }
        from.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, number, ""));
    }

    private Subscriber subscriber(ReconnectSettings reconnect) throws Exception {
        ClientSettings settings = ClientSettings.from(RunningBroker.config())
                .withBroker(listener.address())
                .withReconnect(reconnect);
        Subscriber subscriber = Subscriber.connect(rocketBufs, settings, seen);
        subscription = live(subscriber, "t");
        publish(0, 100);
        await().until(() -> seen.next("t") == 100);
        return subscriber;
    }

    private Subscription live(Subscriber subscriber, String topic) throws Exception {
        Subscription added = subscriber.subscribe(topic, seen);
        added.ready().get(60, TimeUnit.SECONDS);
        return added;
    }

    private void publish(long first, long end) {
        for (long i = first; i < end; i++) {
            Segment frame = out.getOutputSegment(BUFFER, Continuity.FRAME, true);
            MessageLayout.putLength(frame, 0, Long.BYTES);
            frame.putLong(MessageLayout.HEADER_LENGTH, i);
            out.deliver(frame, Continuity.FRAME);
        }
    }

    private void endBuffer() {
        out.removeBuffer(BUFFER);
        await().until(() -> rocketBufs.metrics().connections().stream()
                .allMatch(each -> each.inputs().isEmpty()));
    }

    private void sendRemoved(String why) {
        connection.sendControlMessage(NoticeLayout.write(RbmqType.BUFFER_REMOVED, 1, BUFFER, PUBLISHER, why));
    }

    @Test
    void shouldContinueWhereItWasWhenABrokerThatLivesOnClosesTheConnection() throws Exception {
        try (Subscriber subscriber = subscriber(ReconnectFixture.SOON)) {
            connection.close("the client does not read its control messages");
            await().until(() -> seen.reconnectCount() == 1);
            publish(100, 200);
            await().until(() -> seen.next("t") == 200);
            assertThat(seen.repeatedCount()).isZero();
            assertThat(seen.gaps()).isEmpty();
            assertThat(seen.faults()).isEmpty();
            assertThat(seen.ends()).isZero();
            assertThat(subscriber.receivedCount()).isEqualTo(200);
        }
        assertThat(seen.ends()).isZero();
    }

    @Test
    void shouldReportTheEndOfAPublisherOnceWhenTheBrokerReportsItAfterTheEndOfItsBuffer() throws Exception {
        try (Subscriber subscriber = subscriber(ReconnectFixture.SOON)) {
            endBuffer();
            live(subscriber, "u"); // the reply arrives after the end of the buffer
            assertThat(seen.ends()).isZero();
            sendRemoved("");
            sendRemoved("");
            live(subscriber, "v");
            assertThat(seen.ends()).isEqualTo(1);
            connection.close("the client does not read its control messages");
            await().until(() -> seen.reconnectCount() == 1);
        }
        assertThat(seen.ends()).isEqualTo(1);
        assertThat(seen.gaps()).isEmpty();
    }

    @Test
    void shouldReportTheEndOfAPublisherThatLeftWhileTheConnectionWasLost() throws Exception {
        try (Subscriber subscriber = subscriber(ReconnectFixture.SOON)) {
            hasPublisher = false;
            connection.close("the client does not read its control messages");
            await().until(() -> seen.ends() == 1);
            assertThat(seen.gaps()).containsExactly(new Gap("t", 0, Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT));
            assertThat(subscriber.reconnectCount()).isEqualTo(1);
        }
        assertThat(seen.ends()).isEqualTo(1);
    }

    @Test
    void shouldReportTheEndOfAPublisherWhenTheClientReachesAnotherBroker() throws Exception {
        try (Subscriber subscriber = subscriber(ReconnectFixture.SOON)) {
            brokerId = 2;
            hasPublisher = false;
            connection.close("the broker is closing");
            await().until(() -> seen.ends() == 1);
            assertThat(seen.gaps()).containsExactly(new Gap("t", 0, Gap.UNKNOWN, Gap.Reason.OTHER_BROKER));
            assertThat(subscriber.reconnectCount()).isEqualTo(1);
        }
        assertThat(seen.ends()).isEqualTo(1);
    }

    @Test
    void shouldReportTheEndOfAPublisherWhenTheClientDoesNotReconnect() throws Exception {
        assertEndWithTheLastConnection(new ReconnectSettings(false, 1, 20, 0.3, 0));
    }

    @Test
    void shouldReportTheEndOfAPublisherWhenTheClientGivesUp() throws Exception {
        assertEndWithTheLastConnection(new ReconnectSettings(true, 1, 20, 0.3, 50));
    }

    private void assertEndWithTheLastConnection(ReconnectSettings reconnect) throws Exception {
        try (Subscriber subscriber = subscriber(reconnect)) {
            listener.close();
            connection.close("the broker is closing");
            assertThatThrownBy(() -> subscriber.closed().get(60, TimeUnit.SECONDS))
                    .isNotNull();
            assertThat(seen.ends()).isEqualTo(1);
            assertThat(seen.gaps()).isEmpty();
        }
        assertThat(seen.ends()).isEqualTo(1);
    }

    @Test
    void shouldReportTheEndOfAPublisherWhenTheClientIsClosedBeforeTheBrokerReportsIt() throws Exception {
        try (Subscriber subscriber = subscriber(ReconnectFixture.SOON)) {
            endBuffer();
            live(subscriber, "u");
            assertThat(seen.ends()).isZero();
        }
        assertThat(seen.ends()).isEqualTo(1);
    }

    @Test
    void shouldReportTheEndOfAPublisherWhenItsLastSubscriptionEndsBeforeTheBrokerReportsIt() throws Exception {
        try (Subscriber subscriber = subscriber(ReconnectFixture.SOON)) {
            Subscription other = live(subscriber, "u");
            endBuffer();
            other.close();
            other.closed().get(60, TimeUnit.SECONDS);
            assertThat(seen.ends()).isZero();
            subscription.close();
            subscription.closed().get(60, TimeUnit.SECONDS);
            assertThat(seen.ends()).isEqualTo(1);
        }
        assertThat(seen.ends()).isEqualTo(1);
    }
}

package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of subscriptions that start with older messages, at a broker whose replies violate the protocol. */
@Timeout(600)
final class LyingBrokerStartTest {
    private static final SubscriptionOptions LAST = SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.LAST);

    private final Config config = RunningBroker.config();
    private final RocketBufs rocketBufs = RocketBufs.open(config);
    private final ROut out = new ROut(rocketBufs);
    private final Continuity seen = new Continuity();
    private final BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
    private final AtomicInteger requestCount = new AtomicInteger();
    private final Subscriber subscriber;

    LyingBrokerStartTest() {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            out.addConnection(connection);
            connection.setControlMessageCallback(message -> requestCount.incrementAndGet());
            connection.sendControlMessage(
                    WelcomeLayout.write(new Welcome(1, Features.SUPPORTED, 7, 1 << 20, (1 << 20) - 4)));
            connections.add(connection);
        });
        ClientSettings settings =
                ClientSettings.subscriber(config).withBroker(listener.address()).withReconnect(ReconnectFixture.SOON);
        subscriber = Subscriber.connect(rocketBufs, settings, seen);
        out.createBuffer(1, 1000, BufferOptions.DEFAULTS.withKeep(1000));
    }

    @AfterEach
    void close() {
        subscriber.close();
        rocketBufs.close();
    }

    private void deliver(int... bytes) {
        Segment segment = out.getOutputSegment(1, bytes.length, true);
        for (int i = 0; i < bytes.length; i++) {
            segment.putByte(i, (byte) bytes[i]);
        }
        out.deliver(segment, bytes.length);
    }

    private static void list(Connection connection, int subscription) {
        connection.sendControlMessage(BuffersLayout.write(subscription, List.of(new BuffersLayout.Entry(1, 3, 1000))));
        connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, subscription, ""));
    }

    @Test
    void shouldTellASubscriptionThatItsOlderMessagesWereReadBeforeItWasListed() throws Exception {
        deliver(0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0);
        Connection connection = connections.take();
        Subscription last = subscriber.subscribe("t", message -> {}, LAST);
        Subscription live = subscriber.subscribe("t", message -> {});
        await().until(() -> requestCount.get() == 2);
        list(connection, 2);
        live.ready().get(60, TimeUnit.SECONDS);
        list(connection, 1);
        last.caughtUp().get(60, TimeUnit.SECONDS);
        assertThat(last.unknownGapCount()).isEqualTo(1);
        assertThat(live.unknownGapCount()).isZero();
        assertThat(seen.gaps()).containsExactly(new Gap("t", 3, Gap.UNKNOWN, Gap.Reason.RECONNECTED));
    }

    @Test
    void shouldReportOlderMessagesThatAreMalformed() throws Exception {
        deliver(0, 0, 0, 1, 5, 0, 0, 0, 9, 6);
        Connection connection = connections.take();
        Subscription last = subscriber.subscribe("t", message -> {}, LAST);
        await().until(() -> requestCount.get() == 1);
        list(connection, 1);
        await().until(() -> last.malformedCount() == 1 && !seen.faults().isEmpty());
        last.caughtUp().get(60, TimeUnit.SECONDS);
        assertThat(last.receivedCount()).isZero();
        assertThat(seen.faults()).singleElement().asString().contains("length=9, but 1 bytes remain");
    }
}

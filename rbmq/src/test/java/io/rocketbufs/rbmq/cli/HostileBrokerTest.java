package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.bench.BenchPublisher;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of command-line publishers whose broker ends or violates the protocol when a topic is announced. */
@Timeout(600)
final class HostileBrokerTest {
    private static final int BUFFER = 1;

    private final Config config = RunningBroker.config();
    private final RocketBufs rocketBufs = RocketBufs.open(config);
    private final RecordedStreams recorded = new RecordedStreams("rbmq");
    private final Streams streams = recorded.withoutInput();

    @AfterEach
    void close() {
        rocketBufs.close();
    }

    @Test
    void shouldExitWith69WhenTheBrokerIsLostBeforeItAcceptsTheTopic() {
        try (Publisher publisher = publisher(brokerThatAnswersAnnouncements(Connection::close))) {
            TopicPublisher topic = publisher.topic("t");
            Publication publication = new Publication(
                    publisher, topic, new Headers(), streams, Duration.ofSeconds(10), RateLimit.of(null));
            publication.publish(new byte[1], 0, 1);
            assertThatThrownBy(() -> topic.announced().get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("topic \"t\" has ended: the connection to the broker was lost");
            assertThat(publication.finish()).isEqualTo(69);
            assertThat(recorded.err()).startsWith("rbmq: the connection to the broker was lost\n");
        }
    }

    @Test
    void shouldExitWith77WhenTheBrokerRefusesATopicAfterItHasAcceptedIt() {
        try (Publisher publisher = publisher(brokerThatAnswersAnnouncements(HostileBrokerTest::acceptAndRefuse))) {
            Publication publication = new Publication(
                    publisher, publisher.topic("t"), new Headers(), streams, Duration.ofMillis(10), RateLimit.of(null));
            while (publication.publish(new byte[1], 0, 1)) {
                Thread.onSpinWait();
            }
            assertThat(publication.finish()).isEqualTo(77);
            assertThat(recorded.err()).startsWith("rbmq: the broker refused topic \"t\"\n");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void shouldEndABenchmarkWhenTheBrokerRefusesATopicAfterItHasAcceptedIt(int batch) {
        try (Publisher publisher = publisher(brokerThatAnswersAnnouncements(HostileBrokerTest::acceptAndRefuse))) {
            TopicPublisher topic = publisher.topic("t");
            BenchPublisher bench = new BenchPublisher(List.of(topic), index -> index, 64, 0, false, batch);
            bench.run();
            assertThat(bench.problem()).isEqualTo("the broker refused topic \"t\"");
        }
    }

    private static void acceptAndRefuse(Connection connection) {
        connection.sendControlMessage(NoticeLayout.ofBuffer(RbmqType.ANNOUNCED, BUFFER, 1, ""));
        connection.sendControlMessage(
                NoticeLayout.ofBuffer(RbmqType.ANNOUNCE_REFUSED, BUFFER, 1, "the topic is closed"));
    }

    private Publisher publisher(InetSocketAddress broker) {
        return Publisher.connect(
                rocketBufs, ClientSettings.from(config).withBroker(broker).withDrainTimeout(0));
    }

    private InetSocketAddress brokerThatAnswersAnnouncements(Consumer<Connection> answer) {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            connection.setControlMessageCallback(announcement -> answer.accept(connection));
            new RIn(connection);
            connection.sendControlMessage(WelcomeLayout.write(new Welcome(1, 0, 1, 1 << 20, (1 << 20) - 4)));
        });
        return listener.address();
    }
}

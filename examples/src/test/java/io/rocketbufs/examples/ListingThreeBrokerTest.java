package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.ConnectionCallback;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ListingThreeBrokerTest {
    private static final int MESSAGE_LENGTH = 12;
    private static final long CAPACITY = 256 * 1024;
    private static final int MESSAGE_COUNT = 20_000;

    private RocketBufs brokerProcess;
    private RocketBufs clientProcess;
    private ListingThreeBroker broker;

    @BeforeEach
    void open() {
        brokerProcess = RocketBufs.open();
        clientProcess = RocketBufs.open();
        broker = new ListingThreeBroker(brokerProcess, new InetSocketAddress("127.0.0.1", 0));
    }

    @AfterEach
    void close() {
        broker.close();
        clientProcess.close();
        brokerProcess.close();
    }

    @Test
    void shouldForwardEveryMessageToAllSubscribersWhenItsTopicIsRight() throws Exception {
        Publisher prices = new Publisher("prices", 1);
        Publisher quotes = new Publisher("quotes", 2);
        Subscriber first = new Subscriber(1, 2);
        Subscriber second = new Subscriber(1, 2);
        for (int i = 0; i < MESSAGE_COUNT; i++) {
            prices.publish("prices", i);
            quotes.publish("quotes", i);
        }
        first.awaitEverything();
        second.awaitEverything();
    }

    @Test
    void shouldCloseAPublisherWhenItsBufferCarriesAnotherTopic() throws Exception {
        Publisher honest = new Publisher("quotes", 2);
        Publisher lying = new Publisher("prices", 1);
        Subscriber subscriber = new Subscriber(1, 2);
        lying.publish("prices", 0);
        await().untilAsserted(() -> assertThat(subscriber.count(1)).isEqualTo(1));
        lying.publish("quotes", 1);
        await().until(() -> !lying.connection.isOpen());
        assertThat(honest.connection.isOpen()).isTrue();
        honest.publish("quotes", 0);
        await().untilAsserted(() -> assertThat(subscriber.count(2)).isEqualTo(1));
        assertThat(subscriber.count(1)).isEqualTo(1);
    }

    @Test
    void shouldBeShortAndQuotedUnchangedInTheDocument() throws IOException {
        Path source = Path.of("src/main/java/io/rocketbufs/examples/ListingThreeBroker.java");
        List<String> lines = Files.readAllLines(source);
        assertThat(lines).hasSizeLessThan(80);
        assertThat(lines)
                .filteredOn(line -> line.startsWith("import "))
                .allMatch(line -> line.matches("import (io\\.rocketbufs\\.[A-Z]|java\\.).*"));
        assertThat(Files.readString(Path.of("../docs/building-your-own.md")))
                .contains("```java\n" + Files.readString(source) + "```\n");
    }

    /** A publisher of one topic. Its messages consist of the topic's hash and a number. */
    private final class Publisher {
        private final ROut out = new ROut(clientProcess);
        private final Connection connection;
        private final int bufferId;

        Publisher(String topic, int bufferId) throws Exception {
            this.bufferId = bufferId;
            out.createBuffer(bufferId, CAPACITY, BufferOptions.DEFAULTS.withHold(true));
            connection = connect(Role.PUBLISHER, out::addConnection);
            byte[] name = topic.getBytes(StandardCharsets.UTF_8);
            connection.sendControlMessage(ByteBuffer.allocate(4 + name.length)
                    .putInt(bufferId)
                    .put(name)
                    .flip());
        }

        void publish(String topic, long number) {
            Segment segment = out.getOutputSegment(bufferId, MESSAGE_LENGTH, true);
            segment.putInt(0, topic.hashCode());
            segment.putLong(4, number);
            out.deliver(segment, MESSAGE_LENGTH);
        }
    }

    /** A subscriber that expects the messages of each of its buffers in order. */
    private final class Subscriber {
        private final Map<Integer, AtomicLong> counts = new ConcurrentHashMap<>();
        private final AtomicBoolean disorder = new AtomicBoolean();
        private RIn in;

        Subscriber(int... bufferIds) throws Exception {
            Connection connection = connect(Role.SUBSCRIBER, accepted -> in = new RIn(accepted));
            in.setDataInCallback(this::onData);
            for (int bufferId : bufferIds) {
                counts.put(bufferId, new AtomicLong());
                // The subscription is refused until the publisher has created the topic.
                await().ignoreExceptions()
                        .untilAsserted(() -> in.subscribe(bufferId, CAPACITY).get());
            }
            assertThat(connection.isOpen()).isTrue();
        }

        private void onData(int bufferId, Segment data) {
            AtomicLong count = counts.get(bufferId);
            for (long i = 0; i < data.length(); i += MESSAGE_LENGTH) {
                if (data.getLong(i + 4) != count.getAndIncrement()) {
                    disorder.set(true);
                }
            }
            in.dataConsumed(bufferId, data.length());
        }

        long count(int bufferId) {
            assertThat(disorder).isFalse();
            return counts.get(bufferId).get();
        }

        void awaitEverything() {
            for (int bufferId : counts.keySet()) {
                await().untilAsserted(() -> assertThat(count(bufferId)).isEqualTo(MESSAGE_COUNT));
            }
        }
    }

    private Connection connect(Role role, ConnectionCallback callback) throws Exception {
        return clientProcess
                .connect(broker.address(), ConnectOptions.as(role, callback))
                .get(10, TimeUnit.SECONDS);
    }
}

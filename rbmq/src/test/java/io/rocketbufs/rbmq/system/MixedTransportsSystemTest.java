package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.TransportPair;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests in which clients of two transports use one broker at the same time. All subscribers receive the same messages,
 * and the failure of one client does not affect the others.
 */
@Timeout(600)
final class MixedTransportsSystemTest {
    private static final int ENDLESS = 10_000_000;
    private static final int MANY = 3000;
    private static final String[] QUICK = {"rocketbufs.heartbeat-interval=100 ms", "rocketbufs.heartbeat-timeout=5 s"};

    private static Stream<TransportPair> pairsWithSharedMemory() {
        return Stream.of(TransportPair.SHM_RDMA, TransportPair.SHM_TCP);
    }

    /**
     * Returns pairs, each with the transport of the client that is killed. The slow tests kill clients that do not use
     * shared memory.
     */
    private static Stream<Arguments> kills() {
        // Over TCP and shared memory, the receiver places the bytes, so this pair counts as the same transport twice.
        return TransportPair.selected(
                        Stream.of(TransportPair.TCP_RDMA, TransportPair.SHM_RDMA, TransportPair.SHM_TCP),
                        TransportPair::usesRdma)
                .flatMap(pair -> pair == TransportPair.TCP_RDMA
                        ? Stream.of(Arguments.of(pair, "tcp"), Arguments.of(pair, "rdma"))
                        : Stream.of(Arguments.of(pair, "shm")));
    }

    private static String other(TransportPair pair, String transport) {
        return transport.equals(pair.publisher()) ? pair.subscriber() : pair.publisher();
    }

    @Test
    @Tag("once")
    void shouldDeliverTheSameMessagesToSubscribersOfBothTransports() throws Exception {
        assertDeliversTheSameMessages(TransportPair.TCP_RDMA);
    }

    private static void assertDeliversTheSameMessages(TransportPair pair) throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess first = subscriber(broker, pair.publisher());
                RbmqProcess second = subscriber(broker, pair.subscriber())) {
            for (String transport : List.of(pair.publisher(), pair.subscriber())) {
                try (RbmqProcess publisher = broker.localOver(transport, "pub", "topic", "--lines")) {
                    NumberedLines.type(publisher, MANY).join();
                    assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
                }
            }
            try (RbmqProcess last = broker.localOver(pair.publisher(), "pub", "topic", "the end")) {
                assertThat(last.exitCode()).as(last.errText()).isZero();
            }
            String again = NumberedLines.line(MANY - 1) + "\n" + NumberedLines.line(0) + "\n";
            for (RbmqProcess subscriber : List.of(first, second)) {
                subscriber.awaitOut("the end\n");
                String text = subscriber.outText();
                int boundary =
                        text.indexOf(again) + NumberedLines.line(MANY - 1).length() + 1;
                assertThat(NumberedLines.checkFirst(text.substring(0, boundary)))
                        .isEqualTo(MANY);
                assertThat(NumberedLines.checkFirst(text.substring(boundary).replace("the end\n", "")))
                        .isEqualTo(MANY);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma"})
    @Tag("once")
    void shouldServeThePublishersOfBothTransportsWhenOneIsKilled(String killed) throws Exception {
        assertServesThePublishers(TransportPair.TCP_RDMA, killed);
    }

    private static void assertServesThePublishers(TransportPair pair, String killed) throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess subscriber = subscriber(broker, pair.publisher());
                RbmqProcess survivor = broker.localOver(other(pair, killed), "pub", "topic", "--lines")) {
            try (RbmqProcess victim = broker.over(killed, "pub", "another topic", "--lines")) {
                NumberedLines typed = NumberedLines.type(victim, ENDLESS);
                typed.awaitCount(MANY);
                NumberedLines lines = NumberedLines.type(survivor, MANY);
                lines.awaitCount(MANY / 2);
                victim.signal("KILL");
                victim.exitCode();
                lines.join();
            }
            assertThat(survivor.exitCode()).as(survivor.errText()).isZero();
            subscriber.awaitOut(NumberedLines.line(MANY - 1) + "\n");
            assertThat(NumberedLines.checkFirst(subscriber.outText())).isEqualTo(MANY);
        }
    }

    @ParameterizedTest
    @MethodSource("kills")
    void shouldServeTheSubscribersOfBothTransportsWhenOneIsKilled(TransportPair pair, String killed) throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess first = subscriber(broker, pair.publisher());
                RbmqProcess second = subscriber(broker, pair.subscriber());
                RbmqProcess victim = subscribed(broker.over(killed, "sub", "topic"));
                RbmqProcess publisher = broker.localOver(pair.subscriber(), "pub", "topic", "--lines")) {
            NumberedLines lines = NumberedLines.type(publisher, MANY);
            victim.awaitOut(NumberedLines.line(MANY / 10) + "\n");
            victim.signal("KILL");
            lines.join();
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            for (RbmqProcess subscriber : List.of(first, second)) {
                subscriber.awaitOut(NumberedLines.line(MANY - 1) + "\n");
                assertThat(NumberedLines.checkFirst(subscriber.outText())).isEqualTo(MANY);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pairsWithSharedMemory")
    @Tag("slow")
    void shouldDeliverTheSameMessagesThroughSharedMemory(TransportPair pair) throws Exception {
        assertDeliversTheSameMessages(pair);
    }

    @ParameterizedTest
    @MethodSource("pairsWithSharedMemory")
    @Tag("slow")
    void shouldServeTheClientsOfSharedMemoryWhenAClientIsKilled(TransportPair pair) throws Exception {
        assertServesThePublishers(pair, pair.publisher());
        assertServesThePublishers(pair, pair.subscriber());
        shouldServeTheSubscribersOfBothTransportsWhenOneIsKilled(pair, pair.subscriber());
    }

    @Test
    @Tag("once")
    void shouldKeepAnIdlePublisherConnected() throws Exception {
        assertKeepsAnIdlePublisherConnected(TransportPair.TCP_RDMA, "rdma");
    }

    @ParameterizedTest
    @MethodSource("pairsWithSharedMemory")
    @Tag("slow")
    void shouldKeepAnIdlePublisherConnectedThroughSharedMemory(TransportPair pair) throws Exception {
        assertKeepsAnIdlePublisherConnected(pair, "shm");
    }

    private static void assertKeepsAnIdlePublisherConnected(TransportPair pair, String idle) throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair, QUICK);
                RbmqProcess subscriber = subscriber(broker, other(pair, idle), "--set", QUICK[0], "--set", QUICK[1]);
                RbmqProcess slow =
                        broker.localOver(idle, "pub", "topic", "--lines", "--set", QUICK[0], "--set", QUICK[1]);
                RbmqProcess stopped = broker.over(idle, "sub", "another topic", "--set", QUICK[0])) {
            slow.type("one\n");
            subscriber.awaitOut("one\n");
            stopped.awaitErr("subscribed");
            // The broker disconnects the stopped subscriber after the heartbeat timeout, so the publisher has been idle
            // for longer than that.
            stopped.signal("STOP");
            broker.process().awaitErr("no data received for 5000 ms");
            slow.type("two\n");
            subscriber.awaitOut("two\n");
            slow.endInput();
            assertThat(slow.exitCode()).as(slow.errText()).isZero();
            assertThat(subscriber.outText()).isEqualTo("one\ntwo\n");
        }
    }

    @Test
    @Tag("once")
    void shouldDeliverAMessageOverTheSocketsProvider() throws Exception {
        String sockets = "rocketbufs.rdma.provider=sockets";
        try (LocalBroker broker = LocalBroker.start(TransportPair.TCP_RDMA, sockets);
                RbmqProcess subscriber = broker.localOver("rdma", "sub", "topic", "--count", "1", "--set", sockets)) {
            subscriber.awaitErr("subscribed topic");
            try (RbmqProcess publisher = broker.localOver("rdma", "pub", "topic", "one", "--set", sockets)) {
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            }
            assertThat(subscriber.exitCode()).as(subscriber.errText()).isZero();
            assertThat(subscriber.outText()).isEqualTo("one\n");
        }
    }

    private static RbmqProcess subscriber(TestedBroker broker, String transport, String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "sub";
        arguments[1] = "topic";
        System.arraycopy(more, 0, arguments, 2, more.length);
        return subscribed(broker.localOver(transport, arguments));
    }

    private static RbmqProcess subscribed(RbmqProcess subscriber) {
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }
}

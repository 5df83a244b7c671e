package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands that a signal ends: they write what they have received, send what is complete, and print their result. */
@Tag("once")
@Timeout(180)
final class TerminatedCommandSystemTest {
    private static final int SIGTERM = 143;

    @Test
    void shouldWriteAllReceivedMessagesWhenASubscriberIsTerminated() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = subscriber(broker)) {
            try (RbmqProcess publisher = broker.publisher("pub", "topic", "--no-reconnect", "one", "two", "")) {
                assertThat(publisher.exitCode()).isZero();
            }
            subscriber.awaitOut("two\n");
            subscriber.signal("TERM");
            assertThat(subscriber.exitCode()).isEqualTo(SIGTERM);
            assertThat(subscriber.outText()).isEqualTo("one\ntwo\n\n");
        }
    }

    @Test
    void shouldDeliverCompleteLinesWhenAPublisherIsTerminatedMidLine() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = broker.publisher("pub", "topic", "--no-reconnect", "--lines")) {
            publisher.type("one\nhalf a li");
            subscriber.awaitOut("one\n");
            publisher.signal("TERM");
            assertThat(publisher.exitCode()).isEqualTo(SIGTERM);
            assertThat(publisher.errText()).isEmpty();
        }
    }

    @Test
    void shouldPrintItsResultWhenARoleIsTerminated() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = broker.subscriber("bench", "subscriber", "--topic", "t")) {
            subscriber.awaitOut("subscribed\n");
            try (RbmqProcess publisher = broker.publisher("bench", "publisher", "--topic", "t", "--size", "100")) {
                publisher.awaitOut("publishing\n");
                publisher.signal("TERM");
                assertThat(publisher.exitCode()).isEqualTo(SIGTERM);
                assertThat(publisher.lastLine())
                        .matches("\\{\"role\":\"publisher\",\"sent\":[0-9]+,\"per_s\":[0-9.]+}");
            }
            subscriber.signal("TERM");
            assertThat(subscriber.exitCode()).isEqualTo(SIGTERM);
            assertThat(subscriber.lastLine())
                    .matches("\\{\"role\":\"subscriber\",\"received\":[0-9]+,\"per_s\":[0-9.]+,"
                            + "\"lost\":0,\"duplicated\":0,\"reordered\":0,\"corrupted\":0}");
        }
    }

    private static RbmqProcess subscriber(LocalBroker broker) {
        RbmqProcess subscriber = broker.subscriber("sub", "topic", "--no-reconnect");
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }
}

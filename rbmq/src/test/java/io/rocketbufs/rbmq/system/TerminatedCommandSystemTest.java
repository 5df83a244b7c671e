package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of commands that are ended by a signal. They still write the messages that they have received, and send the
 * messages that are complete.
 */
@Tag("once")
@Timeout(600)
final class TerminatedCommandSystemTest {
    private static final int SIGTERM = 143;

    @Test
    void shouldWriteAllReceivedMessagesWhenASubscriberIsTerminated() throws Exception {
        try (LocalBroker broker = LocalBroker.start();
                RbmqProcess subscriber = subscriber(broker)) {
            try (RbmqProcess publisher = broker.localPublisher("pub", "topic", "--no-reconnect", "one", "two", "")) {
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

    private static RbmqProcess subscriber(LocalBroker broker) {
        RbmqProcess subscriber = broker.subscriber("sub", "topic", "--no-reconnect");
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }
}

package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.TransportPair;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which a publisher is killed while it publishes at full speed. The messages that arrive are complete and in
 * order.
 */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class PublisherLossSystemTest {
    private static final String[] PUB = {
        "pub", "topic", "--no-reconnect", "--lines", "--set", "rbmq.publisher.capacity=64 KiB"
    };
    private static final int UNAVAILABLE = 69;
    private static final int ENDLESS = 10_000_000;
    private static final int MANY = 3000;

    private final TransportPair pair;

    PublisherLossSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldDeliverWholeMessagesInOrderAndThenServeAnotherPublisher() throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess first = subscriber(broker);
                RbmqProcess second = subscriber(broker)) {
            try (RbmqProcess killed = broker.publisher(PUB)) {
                NumberedLines lines = NumberedLines.type(killed, ENDLESS);
                lines.awaitCount(MANY);
                killed.signal("KILL");
                killed.exitCode();
                lines.join();
            }
            try (RbmqProcess next = broker.localPublisher(PUB)) {
                next.type("the end\n");
                next.endInput();
                assertThat(next.exitCode()).as(next.errText()).isZero();
            }
            first.awaitOut("the end\n");
            second.awaitOut("the end\n");
            // The last message has a separate buffer, so it may have overtaken the rest of the killed publisher's data.
            broker.running().broker().close();
            for (RbmqProcess subscriber : List.of(first, second)) {
                assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
                assertThat(NumberedLines.checkFirst(subscriber.outText().replace("the end\n", "")))
                        .isGreaterThanOrEqualTo(MANY / 2);
            }
        }
    }

    private static RbmqProcess subscriber(LocalBroker broker) {
        RbmqProcess subscriber = broker.localSubscriber("sub", "topic", "--no-reconnect");
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }
}

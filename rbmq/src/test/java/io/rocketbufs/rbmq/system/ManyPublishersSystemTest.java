package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.TransportPair;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which many publishers publish one message each and leave. The subscribers are notified of each publisher
 * only after the publisher has started.
 */
@Tag("once")
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class ManyPublishersSystemTest {
    private static final int AT_ONCE = 6;

    private final TransportPair pair;

    ManyPublishersSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    @Timeout(600)
    void shouldLoseNothingWhenManyPublishersSendOneMessageEach() throws Exception {
        publishFromEach(pair == TransportPair.TCP_TCP ? 30 : 10);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void shouldLoseNothingWhenAThousandPublishersSendOneMessageEach() throws Exception {
        publishFromEach(1000);
    }

    private void publishFromEach(int count) throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess subscriber =
                        broker.localSubscriber("sub", "many", "--count", "" + count, "--timeout", "60s")) {
            subscriber.awaitErr("subscribed many");
            Deque<RbmqProcess> running = new ArrayDeque<>();
            for (int i = 0; i < count; i++) {
                running.add(broker.localPublisher("pub", "many", "message " + i));
                if (running.size() == AT_ONCE) {
                    assertPublished(running.remove());
                }
            }
            while (!running.isEmpty()) {
                assertPublished(running.remove());
            }
            assertThat(subscriber.exitCode()).as(subscriber.errText()).isZero();
            List<String> expected =
                    IntStream.range(0, count).mapToObj(i -> "message " + i).toList();
            assertThat(subscriber.outText().split("\n")).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static void assertPublished(RbmqProcess publisher) throws InterruptedException {
        try (publisher) {
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
        }
    }
}

package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.ReconnectSystemTest.startBehind;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.text.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests in which a subscriber reaches another broker later than the publisher and misses the messages sent before. */
@Timeout(600)
final class LateReturnSystemTest extends ReconnectFixture {
    @Test
    void shouldReceiveWhatItWasToldToHaveMissedWhenThePublisherSendsThatAgainToAThirdBroker() throws Exception {
        start();
        CuttableProxy subscribersProxy = running.opened(new CuttableProxy(running.address()));
        live(running.subscriber(cuttable(running.subscriberSettings()).withBroker(subscribersProxy.address()), seen)
                .subscribe("t", seen));
        Publisher publisher = running.publisher(cuttable(running.publisherSettings()));
        TopicPublisher topic = publisher.topic("t");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);

        // Only the publisher reaches the second broker, which receives ten further messages.
        RbmqBroker second = running.opened(leadToAnother(subscribersProxy));
        proxy.mend();
        Continuity.publish(topic, 10, 20);
        await().untilAsserted(() -> assertThat(receivedLength(second)).isEqualTo(20 * Continuity.FRAME));
        subscribersProxy.mend();
        awaitReconnected(1);
        long sent = publishUntilSeen(topic, 20);
        assertThat(seen.receivedCount("t") + seen.unknownMissedCount("t")).isEqualTo(sent);
        assertThat(seen.unknownMissedCount("t")).isGreaterThanOrEqualTo(10);

        // The second broker has not confirmed these few bytes yet, so the publisher resends all of them to the third
        // broker.
        RbmqBroker third = running.opened(leadToAnother(subscribersProxy));
        subscribersProxy.mend();
        awaitReconnected(2);
        await().until(() -> subscriberCount(third) == 1);
        proxy.mend();
        await().until(() -> seen.receivedCount("t") == sent);
        assertThat(seen.missedCount("t") + seen.unknownMissedCount("t")).isZero();
        assertThat(seen.gaps()).extracting(Gap::reason).containsOnly(Gap.Reason.OTHER_BROKER);
        assertThat(seen.faults()).isEmpty();
    }

    /**
     * Publishes one message after another until the subscriber has received the last one. Returns the total number of
     * messages.
     */
    private long publishUntilSeen(TopicPublisher topic, long count) {
        long[] sent = {count};
        await().until(() -> {
            boolean isSeen = seen.next("t") == sent[0];
            if (!isSeen) {
                Continuity.publish(topic, sent[0], ++sent[0]);
            }
            return isSeen;
        });
        return sent[0];
    }

    /**
     * Cuts all connections and starts another broker, to which both proxies forward connections once they are mended.
     */
    private RbmqBroker leadToAnother(CuttableProxy subscribersProxy) {
        proxy.interrupt();
        subscribersProxy.interrupt();
        RbmqBroker another = startBehind(proxy, "");
        subscribersProxy.leadTo(HostPort.parse(another.address()).resolve());
        return another;
    }

    private static long receivedLength(RbmqBroker broker) {
        return broker.broker().topics().stream()
                .mapToLong(TopicState::receivedLength)
                .sum();
    }

    private static long subscriberCount(RbmqBroker broker) {
        return broker.broker().topics().stream()
                .mapToLong(each -> each.subscribers().size())
                .sum();
    }
}

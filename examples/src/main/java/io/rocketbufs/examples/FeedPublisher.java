package io.rocketbufs.examples;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;

/**
 * A program that publishes numbers through an RBMQ broker. It writes each number in place, and drops numbers instead of
 * waiting for subscribers.
 */
final class FeedPublisher {
    private static final long FLUSH_MS = 30_000;
    /** The message that marks the end of the numbers. It must not be dropped. */
    private static final byte[] END = {};

    private long publishedCount;
    private long droppedCount;

    private FeedPublisher() {}

    /** Publishes COUNT numbers to the topic "numbers" through the broker at HOST:PORT. */
    public static void main(String[] arguments) {
        int count = Arguments.count(arguments, 0, 1_000_000);
        Config config = ConfigFactory.load();
        ClientSettings settings = ClientSettings.publisher(config);
        ClientSettings broker =
                arguments.length < 2 ? settings : settings.withBroker(Arguments.address(arguments, 1, null));
        try (RocketBufs rocketBufs = RocketBufs.open(config);
                Publisher publisher = Publisher.connect(rocketBufs, broker)) {
            FeedPublisher feed = new FeedPublisher();
            TopicPublisher topic = publisher.topic("numbers");
            for (long number = 0; number < count; number++) {
                feed.publish(topic, number);
            }
            check(topic.publish(END)); // waits for space
            System.out.println("published " + feed.publishedCount + " dropped " + feed.droppedCount);
            boolean consumed = publisher.flush(FLUSH_MS);
            System.out.println(
                    consumed ? "the broker has consumed all messages" : "the broker may have missed messages");
        }
    }

    private void publish(TopicPublisher topic, long number) {
        Claim claim = topic.tryClaim(Long.BYTES);
        if (claim.isGranted()) {
            claim.putLong(0, number);
            check(claim.commit());
            publishedCount++;
        } else if (claim.refusal() == PublishResult.NO_SPACE) {
            if (droppedCount++ == 0) { // the subscribers lag behind, and newer numbers matter more
                System.out.println("no space: dropping numbers");
            }
        } else {
            check(claim.refusal());
        }
    }

    /** Ends the program if it can no longer publish because the connection has been lost or the topic was refused. */
    private static void check(PublishResult result) {
        if (result != PublishResult.PUBLISHED && result != PublishResult.UNHEARD) {
            throw new TransportException(TransportException.Code.CLOSED, "cannot publish: " + result);
        }
    }
}

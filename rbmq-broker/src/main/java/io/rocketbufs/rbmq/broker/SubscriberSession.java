package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one connected subscriber, which subscribes to topics and unsubscribes from them. The broker sends the
 * subscriber the ids of the topics' buffers, and the subscriber then subscribes to these buffers itself.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class SubscriberSession implements ClientSession {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriberSession.class);

    private final Topics topics;
    private final LongAdder malformedCount;
    private final ConnectedSubscriber subscriber;
    private final Map<Integer, TopicReader> readers = new HashMap<>();
    /** The names of the subscribed topics. */
    private final Set<String> topicNames = new HashSet<>();

    private final ClientWarnings warnings;
    private final TopicLog topicLog;

    SubscriberSession(
            Topics topics,
            LongAdder malformedCount,
            Connection connection,
            String name,
            ScheduledExecutorService logTimer) {
        this.topics = topics;
        this.malformedCount = malformedCount;
        this.subscriber = new ConnectedSubscriber(connection, name);
        this.warnings = new ClientWarnings(LOG, subscriber.toString());
        this.topicLog = new TopicLog(LOG, subscriber, logTimer);
        connection.setControlMessageCallback(this::onControl);
    }

    @Override
    public Connection connection() {
        return subscriber.connection();
    }

    @Override
    public void onClosed(Throwable failure) {
        readers.values().forEach(topics::unsubscribe);
        readers.clear();
        topicLog.close();
        ClientSession.logLeft(LOG, subscriber, failure);
    }

    private void onControl(ByteBuffer message) {
        switch (RbmqMessage.type(message)) {
            case TOPIC_SUBSCRIBE -> subscribe(message);
            case TOPIC_UNSUBSCRIBE -> unsubscribe(NoticeLayout.subscription(message));
            case MALFORMED -> reportMalformed(message);
            default -> throw RbmqLayout.violation("a subscriber sent a message that only publishers or brokers send");
        }
    }

    private void subscribe(ByteBuffer message) {
        int number = TopicLayout.subscription(message);
        try {
            String topic = TopicLayout.topic(message);
            checkFree(number, topic);
            TopicReader reader = new TopicReader(subscriber, number, topic, TopicLayout.policy(message));
            readers.put(number, reader);
            topicNames.add(topic);
            topics.subscribe(reader);
            topicLog.joined(topic);
        } catch (IllegalArgumentException e) {
            warnings.warn("was refused a subscription: " + e.getMessage());
            subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, number, e.getMessage()));
        }
    }

    private void checkFree(int number, String topic) {
        if (readers.containsKey(number)) {
            throw new IllegalArgumentException("subscription " + number + " already exists");
        }
        if (topicNames.contains(topic)) {
            throw new IllegalArgumentException("topic \"" + topic + "\" is already subscribed to on this connection");
        }
    }

    private void unsubscribe(int number) {
        TopicReader reader = readers.remove(number);
        if (reader == null) {
            throw RbmqLayout.violation("a subscriber ended unknown subscription " + number);
        }
        topicNames.remove(reader.topic());
        topics.unsubscribe(reader);
        topicLog.left(reader.topic());
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBED, number, ""));
    }

    private void reportMalformed(ByteBuffer message) {
        malformedCount.increment();
        warnings.warn("reported a malformed frame from publisher " + NoticeLayout.publisher(message) + " in buffer "
                + NoticeLayout.bufferId(message) + ": " + NoticeLayout.text(message));
    }
}

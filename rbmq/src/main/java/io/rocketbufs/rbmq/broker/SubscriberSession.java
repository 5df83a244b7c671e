package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rbmq.BuffersLayout;
import io.rocketbufs.rbmq.NoticeLayout;
import io.rocketbufs.rbmq.RbmqLayout;
import io.rocketbufs.rbmq.RbmqType;
import io.rocketbufs.rbmq.TopicLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected subscriber: knows its topics, and tells it of their buffers, to which it then subscribes by itself.
 *
 * <p><b>Thread-safety:</b> the connection's worker; {@code push…} under the lock of {@link Topics}, which keeps them in
 * order.
 */
final class SubscriberSession implements Session {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriberSession.class);

    private final Topics topics;
    private final LongAdder malformedCount;
    private final Connection connection;
    private final String name;
    private final Map<Integer, TopicReader> readers = new HashMap<>();
    /** Names of the same topics. */
    private final Set<String> topicNames = new HashSet<>();

    private final Complaints complaints;
    private volatile boolean deaf;

    SubscriberSession(Topics topics, LongAdder malformedCount, Connection connection, String name) {
        this.topics = topics;
        this.malformedCount = malformedCount;
        this.connection = connection;
        this.name = name;
        this.complaints = new Complaints(LOG, describe());
        connection.setControlMessageCallback(this::onControl);
    }

    String name() {
        return name;
    }

    String peer() {
        return connection.peer();
    }

    private String describe() {
        return "Subscriber \"" + name + "\" at " + peer();
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public void onClosed(Throwable failure) {
        readers.values().forEach(topics::unsubscribe);
        readers.clear();
        Session.logLeft(LOG, describe(), failure);
    }

    // From the subscriber.

    private void onControl(ByteBuffer message) {
        switch (RbmqLayout.type(message)) {
            case TOPIC_SUBSCRIBE -> subscribe(message);
            case TOPIC_UNSUBSCRIBE -> unsubscribe(NoticeLayout.subscription(message));
            case MALFORMED -> reportMalformed(message);
            default -> throw RbmqLayout.violation("a subscriber sent something of a publisher or broker");
        }
    }

    private void subscribe(ByteBuffer message) {
        int number = TopicLayout.subscription(message);
        try {
            String topic = TopicLayout.topic(message);
            checkFree(number, topic);
            TopicReader reader = new TopicReader(this, number, topic, TopicLayout.policy(message));
            readers.put(number, reader);
            topicNames.add(topic);
            topics.subscribe(reader);
            LOG.info("{} joined topic \"{}\"", describe(), topic);
        } catch (IllegalArgumentException e) {
            complaints.say("was refused a subscription: " + e.getMessage());
            push(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, number, e.getMessage()));
        }
    }

    private void checkFree(int number, String topic) {
        if (readers.containsKey(number)) {
            throw new IllegalArgumentException("subscription " + number + " exists already");
        }
        if (topicNames.contains(topic)) {
            throw new IllegalArgumentException("topic \"" + topic + "\" is subscribed to already on this connection");
        }
    }

    private void unsubscribe(int number) {
        TopicReader reader = readers.remove(number);
        if (reader == null) {
            throw RbmqLayout.violation("unsubscribed from unknown subscription " + number);
        }
        topicNames.remove(reader.topic());
        topics.unsubscribe(reader);
        push(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBED, number, ""));
    }

    private void reportMalformed(ByteBuffer message) {
        malformedCount.increment();
        complaints.say("got a malformed frame of publisher " + NoticeLayout.publisher(message) + " from buffer "
                + NoticeLayout.bufferId(message) + ": " + NoticeLayout.text(message));
    }

    // To the subscriber.

    void pushAdded(TopicReader reader, List<BuffersLayout.Entry> entries) {
        push(BuffersLayout.write(reader.number(), entries));
    }

    void pushRemoved(TopicReader reader, TopicBuffer buffer, String failure) {
        push(NoticeLayout.write(
                RbmqType.BUFFER_REMOVED,
                reader.number(),
                buffer.bufferId(),
                buffer.publisherNumber(),
                failure == null ? "" : failure));
    }

    void pushListed(TopicReader reader) {
        push(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, reader.number(), ""));
    }

    /**
     * Others must not suffer from a subscriber that is just going. But one that cannot be told would miss messages for
     * good and not know it, so it has to go.
     */
    private void push(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            if (connection.isOpen() && !deaf) {
                deaf = true;
                LOG.warn("{} does not read what it is told: {}", describe(), e.getMessage());
                connection.close("it does not read what it is told");
            }
        }
    }
}

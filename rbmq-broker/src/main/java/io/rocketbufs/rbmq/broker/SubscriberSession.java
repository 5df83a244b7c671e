package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.GroupLayout;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one connected subscriber, which subscribes to topics and filters and unsubscribes from them. The
 * broker sends the subscriber the ids of the topics' buffers, and the subscriber then subscribes to these buffers
 * itself.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class SubscriberSession implements ClientSession {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriberSession.class);
    /**
     * Maximum number of notices that may wait for the subscriber in addition to one list of the maximum number of
     * topics, each with its buffers and a kept message.
     */
    private static final int MAX_WAITING_CHANGES = 16_384;

    /**
     * Maximum number of subscriptions to the client's own inbox. A client has one such subscription, and briefly others
     * that it uses to detect that replies have arrived.
     */
    private static final int MAX_INBOX_READERS = 16;

    private final Topics topics;
    private final LongAdder malformedCount;
    private final ConnectedSubscriber subscriber;
    private final boolean supportsFilters;
    /** The readers in the order of their requests, which is the fastest order for removing them from topics. */
    private final Map<Integer, TopicReader> readers = new LinkedHashMap<>();
    /** Number of readers of the inbox, which do not count towards the limit of subscriptions. */
    private int inboxReaderCount;

    private final BrokerLimits limits;
    private final String inbox;
    private final ClientWarnings warnings;
    private final TopicLog topicLog;
    private final SlowSubscribers slow;
    /** True once a review has closed the connection. */
    private boolean isDisconnected;

    /**
     * Creates the session of a subscriber.
     *
     * @param principal the subscriber's identity and rights
     * @param inbox the only inbox to which this subscriber may subscribe
     */
    SubscriberSession(
            Topics topics,
            SlowSubscribers slow,
            LongAdder malformedCount,
            Connection connection,
            Greeting greeting,
            Principal principal,
            BrokerLimits limits,
            String inbox,
            ScheduledExecutorService logTimer) {
        this.topics = topics;
        this.limits = limits;
        this.malformedCount = malformedCount;
        this.subscriber = new ConnectedSubscriber(
                connection, greeting, principal, () -> 2 * limits.topicsPerConnection() + MAX_WAITING_CHANGES);
        this.supportsFilters = greeting.supports(Features.FILTERS);
        this.inbox = inbox;
        this.warnings = new ClientWarnings(LOG, subscriber.toString());
        this.topicLog = new TopicLog(LOG, subscriber, logTimer);
        this.slow = slow;
        slow.add(subscriber, logTimer);
        connection.setControlMessageCallback(this::onControl);
    }

    @Override
    public Connection connection() {
        return subscriber.connection();
    }

    /**
     * Returns true if this subscriber may subscribe to a buffer of a topic. A well-behaved subscriber requests only the
     * buffers that the broker has listed.
     */
    boolean mayRead(int bufferId, String topic) {
        if (topic.equals(inbox)) {
            return true;
        }
        boolean mayRead = subscriber.principal().mayRead(topic);
        if (!mayRead) {
            warnings.warn("was refused buffer " + bufferId + " of topic \"" + InboxName.shown(topic)
                    + "\", which the broker has not listed for it");
        }
        return mayRead;
    }

    /**
     * Disconnects a subscriber that is no longer accepted or that has lost the right to one of its subscriptions. If
     * the client reconnects, its other subscriptions continue, and its program is notified of the refused one.
     */
    @Override
    public void review() {
        if (isDisconnected || !connection().isOpen()) {
            return;
        }
        Principal principal = subscriber.principal();
        String loss = principal.loss();
        Iterator<TopicReader> all = readers.values().iterator();
        while (loss == null && all.hasNext()) {
            TopicFilter filter = all.next().filter();
            if (!filter.isInbox() && !principal.maySubscribe(filter)) {
                loss = "the broker's configuration has changed: " + principal.describeNoSubscribe(filter);
            }
        }
        if (loss != null) {
            isDisconnected = true;
            ClientSession.disconnect(LOG, this, subscriber, loss);
        }
    }

    @Override
    public void onClosed(Throwable failure) {
        readers.values().forEach(reader -> topics.unsubscribe(reader, true));
        limits.leaveSubscriptions(countedReaders());
        readers.clear();
        topicLog.close();
        slow.remove(subscriber);
        ClientSession.logLeft(LOG, subscriber, failure);
    }

    private void onControl(ByteBuffer message) {
        if (subscriber.isUnresponsive()) {
            return; // the client is being disconnected
        }
        switch (RbmqMessage.type(message)) {
            case TOPIC_SUBSCRIBE ->
                subscribe(TopicLayout.subscription(message), number -> {
                    TopicFilter filter = TopicLayout.filter(message);
                    check(number, filter);
                    return new TopicReader(subscriber, number, filter, TopicLayout.policy(message));
                });
            case GROUP_SUBSCRIBE ->
                subscribe(GroupLayout.subscription(message), number -> {
                    String group = GroupLayout.group(message);
                    TopicFilter filter = GroupLayout.filter(message);
                    check(number, filter);
                    checkGroup(filter, group);
                    return TopicReader.inGroup(subscriber, number, filter, group);
                });
            case TOPIC_UNSUBSCRIBE -> unsubscribe(NoticeLayout.subscription(message));
            case MALFORMED -> reportMalformed(message);
            default -> throw RbmqLayout.violation("a subscriber sent a message that only publishers or brokers send");
        }
    }

    private void subscribe(int number, IntFunction<TopicReader> request) {
        try {
            TopicReader reader = request.apply(number);
            TopicFilter filter = reader.filter();
            // First, so that a reader that is only partly added because of an error is removed when the connection
            // ends.
            add(reader);
            subscribe(reader);
            topicLog.joined(filter.toString());
        } catch (IllegalArgumentException e) {
            warnings.warn("was refused a subscription: " + e.getMessage());
            subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, number, e.getMessage()));
        }
    }

    private void subscribe(TopicReader reader) {
        try {
            topics.subscribe(reader);
        } catch (IllegalArgumentException e) {
            remove(reader.number());
            throw e;
        }
    }

    private void add(TopicReader reader) {
        if (reader.filter().isInbox()) {
            inboxReaderCount++;
        } else {
            limits.enterSubscription(reader.number(), reader.filter(), countedReaders());
        }
        readers.put(reader.number(), reader);
    }

    /** Removes and returns the reader with this number; null if there is none. */
    private TopicReader remove(int number) {
        TopicReader reader = readers.remove(number);
        if (reader != null && reader.filter().isInbox()) {
            inboxReaderCount--;
        } else if (reader != null) {
            limits.leaveSubscriptions(1);
        }
        return reader;
    }

    /** Returns the number of readers that count towards the subscription limits. */
    private int countedReaders() {
        return readers.size() - inboxReaderCount;
    }

    private void check(int number, TopicFilter filter) {
        if (readers.containsKey(number)) {
            throw new IllegalArgumentException("subscription " + number + " already exists");
        }
        if (filter.isInbox()) {
            checkInbox(number, filter.toString());
        }
        if (filter.isWildcard() && !supportsFilters) {
            throw new IllegalArgumentException(
                    "filter \"" + filter + "\" has wildcards, but the client did not announce that it supports them");
        }
        if (!filter.isInbox()) {
            subscriber.principal().checkSubscribe(filter);
        }
    }

    private static void checkGroup(TopicFilter filter, String group) {
        if (filter.isInbox()) {
            throw new IllegalArgumentException("group \"" + group + "\" cannot share an inbox");
        }
    }

    private void checkInbox(int number, String name) {
        if (!name.equals(inbox)) {
            throw new IllegalArgumentException(
                    "inbox \"" + InboxName.shown(name) + "\" is not the one in this client's WELCOME");
        }
        if (inboxReaderCount >= MAX_INBOX_READERS) {
            throw new IllegalArgumentException("subscription " + number + " exceeds the limit of " + MAX_INBOX_READERS
                    + " subscriptions to a client's inbox");
        }
    }

    private void unsubscribe(int number) {
        TopicReader reader = remove(number);
        if (reader == null) {
            throw RbmqLayout.violation("a subscriber ended unknown subscription " + number);
        }
        topics.unsubscribe(reader, false);
        topicLog.left(reader.filter().toString());
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBED, number, ""));
    }

    @Override
    public String toString() {
        return subscriber.toString();
    }

    private void reportMalformed(ByteBuffer message) {
        malformedCount.increment();
        warnings.warn("reported a malformed frame from publisher " + NoticeLayout.publisher(message) + " in buffer "
                + NoticeLayout.bufferId(message) + ": " + NoticeLayout.text(message));
    }
}

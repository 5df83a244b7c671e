package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * A reader of all counters of a broker. It reads only counters that exist anyway, so that it adds no work per message.
 *
 * <p><b>Thread-safety:</b> any thread; one reading at a time.
 */
final class BrokerReader {
    private final Topics topics;
    private final ROut out;
    private final ConnectedClients clients;
    private final IntFunction<String> topicOf;
    private final Function<Topic, TopicRule> ruleOf;
    private final Function<Traffic, BrokerState> state;
    /** The highest value of each counter so far, kept because a decreasing counter would look like a broker restart. */
    private Traffic highest = Traffic.NONE;

    /**
     * Creates a reader.
     *
     * @param topicOf maps the broker's id of a buffer to its topic; null if there is none
     * @param ruleOf maps a topic to the rule that applies to it; called while the lock of {@link Topics} is held
     * @param state returns the state of the broker, given the amount of data received from publishers
     */
    BrokerReader(
            Topics topics,
            ROut out,
            ConnectedClients clients,
            IntFunction<String> topicOf,
            Function<Topic, TopicRule> ruleOf,
            Function<Traffic, BrokerState> state) {
        this.topics = topics;
        this.out = out;
        this.clients = clients;
        this.topicOf = topicOf;
        this.ruleOf = ruleOf;
        this.state = state;
    }

    /** Returns the current counters. */
    synchronized BrokerReading read() {
        return new Reading().finish();
    }

    /** Running totals of the counters of one topic, of one client, or of the broker. */
    private static final class Sum {
        String rule;
        TopicTotals totals;
        int publisherCount;
        int subscriberCount;
        long keptLength;
        int topicCount;
        private long receivedLength;
        private long receivedCount;
        private long sentLength;
        private long sentCount;
        private long lostLength;
        private long pendingLength;
        private long currentDelayMs;
        private long delayMs;
        private long worstPendingLength;

        void addReceived(long length, long transferCount) {
            receivedLength += length;
            receivedCount += transferCount;
        }

        void add(Traffic traffic) {
            receivedLength += traffic.receivedLength();
            receivedCount += traffic.receivedCount();
            sentLength += traffic.sentLength();
            sentCount += traffic.sentCount();
            lostLength += traffic.lostLength();
        }

        void add(SubscriptionState subscription) {
            sentLength += subscription.sentLength();
            sentCount += subscription.transferCount();
            lostLength += subscription.lostLength();
            pendingLength += subscription.pendingLength();
            currentDelayMs = Math.max(currentDelayMs, subscription.currentDelayMs());
            delayMs += subscription.delayMs();
            worstPendingLength = Math.max(worstPendingLength, subscription.worstPendingLength());
        }

        void addPending(long length) {
            pendingLength += length;
        }

        Traffic traffic() {
            return new Traffic(receivedLength, receivedCount, sentLength, sentCount, lostLength);
        }

        Lag lag() {
            return new Lag(pendingLength, currentDelayMs, delayMs, worstPendingLength);
        }
    }

    /** One reading. Ended subscriptions are read before open ones, so that no subscription counts twice. */
    private final class Reading {
        private final long atNs = System.nanoTime();
        private final long atMs = System.currentTimeMillis();
        private final Map<String, Sum> byTopic = new HashMap<>(2 * topics.count());
        private final Map<String, Sum> byAddress = new HashMap<>();
        private final Map<String, ConnectedClient> connected = new HashMap<>();
        private final List<SlowReading> slow = new ArrayList<>();
        private final Sum all = new Sum();
        private final long unsentLength;
        private int inboxCount;

        Reading() {
            for (ConnectedClient client : clients.all()) {
                connected.put(client.address(), client);
                Sum sum = new Sum();
                sum.add(client.ended().read());
                byAddress.put(client.address(), sum);
            }
            unsentLength = clients.unsentLength();
            all.add(clients.ended());
            all.add(topics.forEach(this::add));
            out.subscriptions().forEach(this::add);
        }

        private void add(Topic topic) {
            boolean isInbox = InboxName.is(topic.name());
            List<TopicBuffer> buffers = topic.buffers();
            Sum sum = new Sum();
            for (TopicBuffer buffer : buffers) {
                long length = buffer.receivedLength();
                long transferCount = buffer.transferCount();
                all.addReceived(length, transferCount);
                sum.addReceived(length, transferCount);
                Sum publisher = byAddress.get(buffer.publisher().peer());
                if (publisher != null) {
                    publisher.addReceived(length, transferCount);
                    publisher.topicCount += isInbox ? 0 : 1;
                }
                if (!isInbox) {
                    buffer.groups().forEach(group -> addWaiting(sum, group));
                }
            }
            if (isInbox) {
                inboxCount++;
                return;
            }
            sum.totals = topic.totals();
            sum.rule = ruleOf.apply(topic).filter();
            sum.publisherCount = buffers.size();
            sum.keptLength =
                    topic.keptMessage() == null ? 0 : topic.keptMessage().length();
            sum.add(topic.totals().ended().read());
            sum.subscriberCount = countSubscribers(topic);
            byTopic.put(topic.name(), sum);
        }

        /** Adds the messages that no member of a group has received and that therefore belong to no client. */
        private void addWaiting(Sum topic, GroupBuffer group) {
            long length = group.unreadLength();
            topic.addPending(length);
            all.addPending(length);
        }

        /**
         * Counts a topic once for each of its subscribers, even if several subscriptions of a subscriber match the
         * topic.
         */
        private int countSubscribers(Topic topic) {
            List<TopicReader> readers = topic.readers();
            if (readers.isEmpty()) {
                return 0;
            }
            if (readers.size() == 1) {
                countTopic(readers.get(0).subscriber());
                return 1;
            }
            Set<ConnectedSubscriber> subscribers = new HashSet<>();
            for (TopicReader reader : readers) {
                if (subscribers.add(reader.subscriber())) {
                    countTopic(reader.subscriber());
                }
            }
            return subscribers.size();
        }

        private void countTopic(ConnectedSubscriber subscriber) {
            Sum client = byAddress.get(subscriber.peer());
            if (client != null) {
                client.topicCount++;
            }
        }

        private void add(SubscriptionState subscription) {
            all.add(subscription);
            Sum client = byAddress.get(subscription.peer());
            if (client != null) {
                client.add(subscription);
            }
            String name = topicOf.apply(subscription.bufferId());
            Sum topic = name == null ? null : byTopic.get(name);
            if (topic != null) {
                topic.add(subscription);
            }
            if (client != null && subscription.currentDelayMs() > 0) {
                slow.add(new SlowReading(
                        connected.get(subscription.peer()),
                        name == null || InboxName.is(name) ? null : name,
                        subscription.slowPolicy().name().toLowerCase(Locale.ROOT),
                        Lag.of(subscription)));
            }
        }

        private static TopicReading reading(String name, Sum sum) {
            return new TopicReading(
                    name,
                    sum.rule,
                    sum.publisherCount,
                    sum.subscriberCount,
                    sum.keptLength,
                    sum.totals.record(sum.traffic()),
                    sum.lag(),
                    sum.totals);
        }

        BrokerReading finish() {
            BrokerState now = state.apply(all.traffic());
            highest = all.traffic().max(highest);
            Map<String, TopicReading> topicReadings = new HashMap<>(2 * byTopic.size());
            byTopic.forEach((name, sum) -> topicReadings.put(name, reading(name, sum)));
            Map<String, ClientReading> clientReadings = new HashMap<>();
            byAddress.forEach((address, sum) -> clientReadings.put(
                    address, new ClientReading(connected.get(address), sum.topicCount, sum.traffic(), sum.lag())));
            return new BrokerReading(
                    atNs, atMs, now, topicReadings, inboxCount, clientReadings, slow, highest, unsentLength, all.lag());
        }
    }
}

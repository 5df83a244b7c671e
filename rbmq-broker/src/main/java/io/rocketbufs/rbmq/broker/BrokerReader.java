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
import java.util.function.Supplier;

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
    private final Supplier<BrokerState> state;
    /** The highest value of each counter so far, kept because a decreasing counter would look like a broker restart. */
    private Traffic highest = Traffic.NONE;

    /**
     * The last reading of each topic, kept because the counters of a subscription that is about to end can be missing.
     */
    private Map<String, TopicReading> lastTopics = Map.of();

    /**
     * Creates a reader.
     *
     * @param topicOf maps the broker's id of a buffer to its topic; null if there is none
     * @param ruleOf maps a topic to the rule that applies to it; called while the lock of {@link Topics} is held
     */
    BrokerReader(
            Topics topics,
            ROut out,
            ConnectedClients clients,
            IntFunction<String> topicOf,
            Function<Topic, TopicRule> ruleOf,
            Supplier<BrokerState> state) {
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

    /** Running totals of the counters of one topic or one client. */
    private static final class Sum {
        final TrafficSum traffic = new TrafficSum();
        Lag lag = Lag.NONE;
        String rule;
        Object identity;
        int publisherCount;
        int subscriberCount;
        long keptLength;
        int topicCount;

        void add(SubscriptionState subscription) {
            traffic.addSent(subscription);
            lag = lag.plus(Lag.of(subscription));
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
                sum.traffic.add(client.ended().read());
                byAddress.put(client.address(), sum);
            }
            unsentLength = clients.unsentLength();
            all.traffic.add(clients.ended());
            topics.forEach(this::add);
            out.subscriptions().forEach(this::add);
        }

        private void add(Topic topic) {
            boolean isInbox = InboxName.is(topic.name());
            Sum sum = new Sum();
            for (TopicBuffer buffer : topic.buffers()) {
                Sum publisher = byAddress.get(buffer.publisher().peer());
                if (publisher != null) {
                    publisher.traffic.addReceived(buffer.receivedLength(), buffer.transferCount());
                    publisher.topicCount += isInbox ? 0 : 1;
                }
            }
            if (isInbox) {
                inboxCount++;
                return;
            }
            sum.identity = topic.identity();
            sum.rule = ruleOf.apply(topic).filter();
            sum.publisherCount = topic.buffers().size();
            sum.keptLength =
                    topic.keptMessage() == null ? 0 : topic.keptMessage().length();
            sum.traffic.add(topic.traffic());
            sum.subscriberCount = countSubscribers(topic);
            topic.buffers().forEach(buffer -> buffer.groups().forEach(group -> addWaiting(sum, group)));
            byTopic.put(topic.name(), sum);
        }

        /** Adds the messages that no member of a group has received and that therefore belong to no client. */
        private void addWaiting(Sum topic, GroupBuffer group) {
            Lag waiting = new Lag(group.unreadLength(), 0, 0, 0);
            topic.lag = topic.lag.plus(waiting);
            all.lag = all.lag.plus(waiting);
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

        private TopicReading reading(String name, Sum sum) {
            TopicReading before = lastTopics.get(name);
            boolean isSame = before != null && before.identity() == sum.identity;
            Traffic traffic = sum.traffic.read();
            return new TopicReading(
                    name,
                    sum.rule,
                    sum.publisherCount,
                    sum.subscriberCount,
                    sum.keptLength,
                    isSame ? traffic.max(before.traffic()) : traffic,
                    sum.lag,
                    sum.identity);
        }

        BrokerReading finish() {
            BrokerState now = state.get();
            all.traffic.addReceived(now.receivedLength(), now.transferCount());
            highest = all.traffic.read().max(highest);
            Map<String, TopicReading> topicReadings = new HashMap<>(2 * byTopic.size());
            byTopic.forEach((name, sum) -> topicReadings.put(name, reading(name, sum)));
            lastTopics = topicReadings;
            Map<String, ClientReading> clientReadings = new HashMap<>();
            byAddress.forEach((address, sum) -> clientReadings.put(
                    address, new ClientReading(connected.get(address), sum.topicCount, sum.traffic.read(), sum.lag)));
            return new BrokerReading(
                    atNs, atMs, now, topicReadings, inboxCount, clientReadings, slow, highest, unsentLength, all.lag);
        }
    }
}

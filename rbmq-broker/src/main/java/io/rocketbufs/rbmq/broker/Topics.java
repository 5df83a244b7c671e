package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The topics of a broker with their publishers and subscribers. Subscribers are told about every change.
 *
 * <p>No data is lost when a publisher or subscriber joins. Adding a subscriber and sending it the ids of all buffers is
 * one atomic step, and so is adding a buffer and notifying all subscribers. When a buffer joins, the broker begins to
 * hold its data for every subscriber of the topic before the first byte can arrive.
 *
 * <p>Filters are compared with topics when a topic gets its first buffer and when a subscriber subscribes. From then
 * on, their readers are ordinary readers of the topic.
 *
 * <p><b>Thread-safety:</b> any thread; one lock, which the data path never takes. <b>Source:</b> RocketBufs 4.1, with a
 * set of buffers for each topic instead of one.
 */
final class Topics {
    private static final int MAX_DEPARTED_TOPICS = 10_000;

    private final ROut out;
    private final TopicTable table;
    private final int topicsPerFilter;
    private final int topicsPerConnection;
    private final Filters filters = new Filters();
    private final Departures departures = new Departures(MAX_DEPARTED_TOPICS);
    private final Groups groups;
    private long departedLength;
    private long departedTransfers;

    /**
     * Creates an empty set of topics.
     *
     * @param topicsPerFilter maximum number of topics that one reader with wildcards can join
     * @param topicsPerConnection maximum number of topics that all readers with wildcards of one subscriber can join
     */
    Topics(ROut out, TopicTable table, Groups groups, int topicsPerFilter, int topicsPerConnection) {
        this.out = out;
        this.groups = groups;
        this.table = table;
        this.topicsPerFilter = topicsPerFilter;
        this.topicsPerConnection = topicsPerConnection;
    }

    /**
     * Adds a buffer to its topic, and notifies its publisher of the topic's subscribers. The buffer is already spliced,
     * and none of its data has arrived yet.
     */
    synchronized void join(TopicBuffer buffer) {
        Topic topic = table.getOrCreate(buffer.topic());
        if (topic.buffers().isEmpty()) {
            filters.matching(topic.name()).forEach(reader -> match(reader, topic));
        }
        topic.add(buffer);
        Set<ConnectedSubscriber> expected = new HashSet<>();
        for (TopicReader reader : topic.readers()) {
            if (reader.member() != null) {
                reader.notifyAdded(topic.name(), groups.join(buffer, reader).entry());
                continue;
            }
            // A connection subscribes to a buffer once, however many of its readers the topic has.
            if (expected.add(reader.subscriber())) {
                out.expect(
                        buffer.bufferId(),
                        reader.subscriber().connection(),
                        buffer.rule().joinTimeoutMs());
            }
            reader.notifyAdded(topic.name(), buffer.entry());
        }
    }

    private void match(TopicReader reader, Topic topic) {
        if (reader.matchCount() >= topicsPerFilter) {
            reader.notifyLeftOut(topic.name(), topicsPerFilter);
        } else if (reader.subscriber().matchCount() >= topicsPerConnection) {
            reader.notifyConnectionLimit(topic.name(), topicsPerConnection);
        } else {
            topic.addMatch(reader);
        }
    }

    /**
     * Removes a buffer, which receives no more data, from its topic.
     *
     * @param failure null when its publisher closed it gracefully
     */
    synchronized void leave(TopicBuffer buffer, String failure) {
        Topic topic = table.get(buffer.topic());
        if (topic != null && topic.remove(buffer)) {
            // Added in the same step as the removal, because a metric that decreases would look like a restart of the
            // broker.
            departedLength += buffer.receivedLength();
            departedTransfers += buffer.transferCount();
            if (!buffer.isInbox()) { // an inbox ends with its connection
                departures.add(topic.name());
            }
            for (TopicReader reader : topic.readers()) {
                reader.notifyRemoved(buffer, failure);
            }
            if (topic.buffers().isEmpty()) {
                topic.removeMatches();
            }
            removeIfDeserted(topic);
        }
    }

    /**
     * Adds a reader, and tells its subscriber about the buffers of its topics and about every later change.
     *
     * @throws IllegalArgumentException when the reader's filter matches more topics than allowed; in this case, the
     *     call has no effect
     */
    synchronized void subscribe(TopicReader reader) {
        if (reader.filter().isWildcard()) {
            subscribeToMatches(reader);
        } else {
            Topic topic = table.getOrCreate(reader.filter().toString());
            topic.add(reader);
            notifyOfAll(reader, topic);
        }
        reader.notifyListed(departures);
    }

    private void subscribeToMatches(TopicReader reader) {
        List<Topic> matches = table.withBuffers(reader.filter());
        if (matches.size() > topicsPerFilter) {
            throw new IllegalArgumentException("filter \"" + reader.filter() + "\" matches " + matches.size()
                    + " topics, more than rbmq.broker.topics-per-filter=" + topicsPerFilter
                    + "; use a narrower filter, or raise the limit");
        }
        int others = reader.subscriber().matchCount();
        if (matches.size() > topicsPerConnection - others) {
            throw new IllegalArgumentException("filter \"" + reader.filter() + "\" matches " + matches.size()
                    + " topics, and the other filters of the connection " + others
                    + ", more than rbmq.limits.topics-per-connection=" + topicsPerConnection
                    + "; use narrower filters or several connections, or raise the limit");
        }
        filters.add(reader);
        for (Topic topic : matches) {
            topic.addMatch(reader);
            notifyOfAll(reader, topic);
        }
    }

    private void notifyOfAll(TopicReader reader, Topic topic) {
        Function<TopicBuffer, BuffersLayout.Entry> entry = reader.member() == null
                ? TopicBuffer::entry
                : buffer -> groups.join(buffer, reader).entry();
        reader.notifyOfAll(topic.name(), topic.buffers().stream().map(entry).toList());
    }

    /**
     * Removes a reader, whose subscriber receives no further notices about it.
     *
     * @param mayReturn true when the subscriber's connection has ended, so that it may subscribe again over another one
     */
    synchronized void unsubscribe(TopicReader reader, boolean mayReturn) {
        if (reader.member() != null) {
            groups.leave(reader, mayReturn, this);
        }
        if (reader.filter().isWildcard()) {
            filters.remove(reader);
            reader.leaveMatches();
            return;
        }
        Topic topic = table.get(reader.filter().toString());
        if (topic != null) {
            topic.remove(reader);
            removeIfDeserted(topic);
        }
    }

    synchronized int count() {
        return table.count();
    }

    /** Returns the number of bytes received from publishers, including those that have left. */
    synchronized long receivedLength() {
        return departedLength + sum(TopicBuffer::receivedLength);
    }

    /** Returns the number of transfers in which these bytes arrived. */
    synchronized long transferCount() {
        return departedTransfers + sum(TopicBuffer::transferCount);
    }

    private long sum(ToLongFunction<TopicBuffer> number) {
        return table.all().stream()
                .flatMap(topic -> topic.buffers().stream())
                .mapToLong(number)
                .sum();
    }

    /**
     * Applies a function to all topics, sorted by name. The function must be fast, because it runs while the lock is
     * held, and must not retain a topic.
     */
    synchronized <T> List<T> read(Function<Topic, T> reader) {
        return table.all().stream().map(reader).toList();
    }

    private void removeIfDeserted(Topic topic) {
        if (topic.isDeserted()) {
            table.remove(topic);
        }
    }
}

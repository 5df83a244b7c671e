package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The topics of a broker with their publishers and subscribers. Subscribers are notified of every change.
 *
 * <p>No data is lost when a publisher or subscriber joins. Adding a subscriber and sending it the ids of all buffers is
 * one atomic step, and so is adding a buffer and notifying all subscribers. When a buffer joins, the broker starts to
 * hold its data for every subscriber of the topic before the first byte can arrive.
 *
 * <p>Filters are compared with topics when a topic gets its first buffer and when a subscriber subscribes. After that,
 * readers with a matching filter are treated like all other readers of the topic.
 *
 * <p><b>Thread-safety:</b> any thread; there is one lock, which the data path never acquires. <b>Source:</b> RocketBufs
 * 4.1, with a set of buffers for each topic instead of one.
 */
final class Topics {
    private static final int MAX_DEPARTED_TOPICS = 10_000;

    private final ROut out;
    private final TopicTable table;
    private final BrokerLimits limits;
    private final Filters filters = new Filters();
    private final KeptMessages kept;
    private final Departures departures = new Departures(MAX_DEPARTED_TOPICS);
    private final Groups groups;
    private long departedLength;
    private long departedTransfers;

    /**
     * Creates an empty set of topics.
     *
     * @param limits the limits, which include the maximum number of topics that one reader with wildcards can join, and
     *     the maximum across all such readers of one subscriber
     * @param kept the kept messages; must be empty
     */
    Topics(ROut out, TopicTable table, Groups groups, BrokerLimits limits, KeptMessages kept) {
        this.out = out;
        this.groups = groups;
        this.table = table;
        this.limits = limits;
        this.kept = kept;
    }

    /**
     * Adds a buffer to its topic and notifies the publisher of the topic's subscribers. The buffer must already be
     * spliced, and none of its data may have arrived yet.
     */
    synchronized void join(TopicBuffer buffer) {
        Topic topic = table.getOrCreate(buffer.topic());
        if (topic.isEmpty()) {
            filters.matching(topic.name()).forEach(reader -> match(reader, topic));
        }
        if (buffer.rule().keepsLast()) {
            topic.keepLast(() -> forgetOutdated(topic));
        }
        topic.add(buffer);
        Set<ConnectedSubscriber> expected = new HashSet<>();
        for (TopicReader reader : topic.readers()) {
            if (reader.isMember()) {
                share(buffer, reader).forEach(entry -> reader.notifyAdded(topic.name(), entry));
                continue;
            }
            // A connection subscribes to a buffer only once, even if the topic has several of its readers.
            if (expected.add(reader.subscriber())) {
                out.expect(
                        buffer.bufferId(),
                        reader.subscriber().connection(),
                        buffer.rule().joinTimeoutMs());
            }
            reader.notifyAdded(topic.name(), buffer.entry());
        }
    }

    /**
     * Returns the member's buffer; an empty list if the buffer cannot be created or the member has too many buffers. In
     * that case, the member is notified. A failure such as a lack of memory must not affect other readers of the
     * publisher's buffer.
     */
    private List<BuffersLayout.Entry> share(TopicBuffer buffer, TopicReader reader) {
        String exceeded = limits.exceededByShare(reader.subscriber().shareCount());
        if (exceeded != null) {
            reader.notifyConnectionLimit(buffer.topic(), exceeded);
            return List.of();
        }
        try {
            return List.of(groups.join(buffer, reader).entry());
        } catch (RuntimeException e) {
            reader.notifyNoShare(buffer, e);
            return List.of();
        }
    }

    private void match(TopicReader reader, Topic topic) {
        String exceeded = limits.exceededByTopicOfFilter(reader.matchCount());
        if (exceeded != null) {
            reader.notifyLeftOut(topic.name(), exceeded);
            return;
        }
        exceeded = limits.exceededByTopicOfFilters(reader.subscriber().matchCount());
        if (exceeded != null) {
            reader.notifyConnectionLimit(topic.name(), exceeded);
        } else {
            topic.addMatch(reader);
        }
    }

    /**
     * Removes a buffer that will receive no more data from its topic.
     *
     * @param failure the cause; null if the publisher closed the buffer gracefully
     * @param copy a copy of the buffer's last message, which is kept unless another buffer of the topic has a newer
     *     message; null if there is no copy
     */
    synchronized void leave(TopicBuffer buffer, String failure, KeptMessage copy) {
        Topic topic = table.get(buffer.topic());
        if (topic != null && topic.remove(buffer)) {
            // Added atomically with the removal, because a decreasing metric would look like a broker restart.
            departedLength += buffer.receivedLength();
            departedTransfers += buffer.transferCount();
            buffer.publisher().ended().addReceived(buffer.receivedLength(), buffer.transferCount());
            if (!buffer.isInbox()) { // an inbox ends with its connection
                departures.add(topic.name());
            }
            for (TopicReader reader : topic.readers()) {
                reader.notifyRemoved(buffer, failure);
            }
            if (copy != null) {
                keep(topic, copy);
            }
            removeIfEmpty(topic);
        }
    }

    private void keep(Topic topic, KeptMessage copy) {
        LastMessage last = topic.lastMessage();
        if (!last.isIn(copy.bufferId())) { // a newer message arrived while the copy was being made
            copy.forgetting().run();
            return;
        }
        KeptMessage former = last.copy();
        if (former != null) {
            kept.remove(former);
        }
        last.setCopy(copy);
        List<KeptMessage> excess = kept.add(copy);
        if (last.isIn(copy.bufferId())) {
            excess.forEach(this::forget);
        } else {
            forget(copy);
        }
    }

    /** Removes the copy of a topic's last message if it is outdated. Called when a newer message has arrived. */
    private synchronized void forgetOutdated(Topic topic) {
        KeptMessage copy = topic.keptMessage();
        if (copy != null && !topic.lastMessage().isIn(copy.bufferId())) {
            forget(copy);
        }
    }

    private void forget(KeptMessage copy) {
        kept.remove(copy);
        Topic topic = table.get(copy.topic());
        if (topic != null && topic.keptMessage() == copy) {
            topic.lastMessage().setCopy(null);
            removeIfEmpty(topic);
        }
    }

    /** Removes messages of departed publishers that exceed a limit that has been lowered. */
    synchronized void removeExcess() {
        kept.excess().forEach(this::forget);
    }

    private void removeIfEmpty(Topic topic) {
        if (topic.isEmpty()) {
            topic.removeMatches();
        }
        removeIfDeserted(topic);
    }

    /**
     * Adds a reader and notifies its subscriber of the buffers of its topics and of every later change.
     *
     * @throws IllegalArgumentException if the reader's filter matches more topics than allowed; in this case, the call
     *     has no effect
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
        List<Topic> matches = table.notEmpty(reader.filter());
        limits.checkMatches(reader.filter(), matches.size(), reader.subscriber().matchCount());
        filters.add(reader);
        for (Topic topic : matches) {
            topic.addMatch(reader);
            notifyOfAll(reader, topic);
        }
    }

    private void notifyOfAll(TopicReader reader, Topic topic) {
        List<BuffersLayout.Entry> entries = new ArrayList<>(topic.buffers().size());
        for (TopicBuffer buffer : topic.buffers()) {
            if (reader.isMember()) {
                entries.addAll(share(buffer, reader));
            } else {
                entries.add(buffer.entry());
            }
        }
        reader.notifyOfAll(topic.name(), entries);
        KeptMessage copy = topic.keptMessage();
        if (copy != null && !reader.isMember()) { // a group starts with new messages
            reader.notifyKept(copy);
        }
    }

    /**
     * Removes a reader. Its subscriber receives no further notices about it.
     *
     * @param mayReturn true if the subscriber's connection has ended, so that the subscriber may resubscribe over a new
     *     one
     */
    synchronized void unsubscribe(TopicReader reader, boolean mayReturn) {
        if (reader.isMember()) {
            groups.leave(reader, mayReturn);
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

    /** Returns the amount of data received from publishers, including those that have left. */
    synchronized Traffic received() {
        TrafficSum sum = new TrafficSum();
        sum.add(departed());
        table.forEach(topic ->
                topic.buffers().forEach(buffer -> sum.addReceived(buffer.receivedLength(), buffer.transferCount())));
        return sum.read();
    }

    private Traffic departed() {
        return new Traffic(departedLength, departedTransfers, 0, 0, 0);
    }

    /** Returns the number of messages of departed publishers that are kept. */
    synchronized int keptCount() {
        return kept.count();
    }

    /** Returns the number of bytes of memory that the kept messages of departed publishers occupy. */
    synchronized long keptLength() {
        return kept.memoryLength();
    }

    /** Returns the number of kept messages that were removed because they exceeded the limit. */
    synchronized long keptRemovedCount() {
        return kept.removedCount();
    }

    /**
     * Applies a function to all topics, sorted by name. The function must be fast, because it runs while the lock is
     * held, and must not retain a topic.
     */
    <T> List<T> read(Function<Topic, T> reader) {
        return read(topic -> true, reader);
    }

    /** Applies a function to the topics that satisfy a condition, like {@link #read(Function)}. */
    synchronized <T> List<T> read(Predicate<Topic> wanted, Function<Topic, T> reader) {
        return table.all().stream().filter(wanted).map(reader).toList();
    }

    /**
     * Performs an action for each topic, in any order. The restrictions of {@link #read(Function)} apply.
     *
     * @return the amount of data received in the buffers that had left their topics when the action was performed
     */
    synchronized Traffic forEach(Consumer<Topic> action) {
        table.forEach(action);
        return departed();
    }

    /** Adds the final counters of a subscription to one of a topic's buffers, which may have left the topic. */
    synchronized void addEnded(String name, SubscriptionState last) {
        Topic topic = table.get(name);
        if (topic != null) {
            topic.addEnded(last);
        }
    }

    private void removeIfDeserted(Topic topic) {
        if (topic.isDeserted()) {
            table.remove(topic);
        }
    }
}

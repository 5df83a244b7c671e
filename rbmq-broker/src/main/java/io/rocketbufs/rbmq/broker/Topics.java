package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The topics of a broker with their publishers and subscribers. Subscribers are told about every change.
 *
 * <p>No data is lost when a publisher or subscriber joins. Adding a subscriber and sending it the ids of all buffers is
 * one atomic step, and so is adding a buffer and notifying all subscribers. When a buffer joins, the broker begins to
 * hold its data for every subscriber of the topic before the first byte can arrive.
 *
 * <p><b>Thread-safety:</b> any thread; one lock, which the data path never takes. <b>Source:</b> RocketBufs 4.1, with a
 * set of buffers for each topic instead of one.
 */
final class Topics {
    private final ROut out;
    private final TopicTable table;
    private final long joinTimeoutMs;
    private long departedLength;
    private long departedTransfers;

    /**
     * Creates an empty set of topics.
     *
     * @param joinTimeoutMs maximum time that a new buffer's data is held for each subscriber
     */
    Topics(ROut out, TopicTable table, long joinTimeoutMs) {
        this.out = out;
        this.table = table;
        this.joinTimeoutMs = joinTimeoutMs;
    }

    /**
     * Adds a buffer to its topic, and notifies its publisher of the topic's subscribers. The buffer is already spliced,
     * and none of its data has arrived yet.
     */
    synchronized void join(TopicBuffer buffer) {
        Topic topic = table.getOrCreate(buffer.topic());
        topic.add(buffer);
        for (TopicReader reader : topic.readers()) {
            out.expect(buffer.bufferId(), reader.subscriber().connection(), joinTimeoutMs);
            reader.notifyAdded(List.of(buffer.entry()));
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
            for (TopicReader reader : topic.readers()) {
                reader.notifyRemoved(buffer, failure);
            }
            removeIfDeserted(topic);
        }
    }

    /** Adds a subscriber, and tells it about the topic's buffers and about every later change. */
    synchronized void subscribe(TopicReader reader) {
        Topic topic = table.getOrCreate(reader.topic());
        topic.add(reader);
        reader.notifyAdded(topic.buffers().stream().map(TopicBuffer::entry).toList());
        reader.notifyListed();
    }

    /** Removes a subscriber, which receives no further notices. */
    synchronized void unsubscribe(TopicReader reader) {
        Topic topic = table.get(reader.topic());
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

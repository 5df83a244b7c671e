package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Who publishes to which topic and who subscribes to it; tells subscribers of changes.
 *
 * <p>Nothing is lost at a join: a subscriber is entered and told of all buffers in one step, and so is a buffer; when a
 * buffer joins, its data is held for every subscriber of the topic before the first byte of it can arrive.
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
     * Makes a set without topics.
     *
     * @param joinTimeoutMs how long a new buffer's data is held for each subscriber
     */
    Topics(ROut out, TopicTable table, long joinTimeoutMs) {
        this.out = out;
        this.table = table;
        this.joinTimeoutMs = joinTimeoutMs;
    }

    /** A buffer is part of its topic from now on. It is spliced, and none of its data has arrived yet. */
    synchronized void join(TopicBuffer buffer) {
        Topic topic = table.getOrCreate(buffer.topic());
        topic.add(buffer);
        for (TopicReader reader : topic.readers()) {
            out.expect(buffer.bufferId(), reader.subscriber().connection(), joinTimeoutMs);
            reader.notifyAdded(List.of(buffer.entry()));
        }
    }

    /**
     * A buffer gets no more data.
     *
     * @param failure null when its publisher closed it in good order
     */
    synchronized void leave(TopicBuffer buffer, String failure) {
        Topic topic = table.get(buffer.topic());
        if (topic != null && topic.remove(buffer)) {
            // In one step with that, so that the sums never go back, which would look like a restart to who reads them.
            departedLength += buffer.receivedLength();
            departedTransfers += buffer.transferCount();
            for (TopicReader reader : topic.readers()) {
                reader.notifyRemoved(buffer, failure);
            }
            removeIfDeserted(topic);
        }
    }

    /** A subscriber is told of the topic's buffers, and from now on of changes. */
    synchronized void subscribe(TopicReader reader) {
        Topic topic = table.getOrCreate(reader.topic());
        topic.add(reader);
        reader.notifyAdded(topic.buffers().stream().map(TopicBuffer::entry).toList());
        reader.notifyListed();
    }

    /** A subscriber wants to be told no more. */
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

    /** Bytes received from publishers, gone ones included. */
    synchronized long receivedLength() {
        return departedLength + sum(TopicBuffer::receivedLength);
    }

    /** Transfers in which they came. */
    synchronized long transferCount() {
        return departedTransfers + sum(TopicBuffer::transferCount);
    }

    private long sum(ToLongFunction<TopicBuffer> number) {
        return table.all().stream()
                .flatMap(topic -> topic.buffers().stream())
                .mapToLong(number)
                .sum();
    }

    /** Applies a function to all topics, by name; it must be quick and keep nothing of them. */
    synchronized <T> List<T> read(Function<Topic, T> reader) {
        return table.all().stream().map(reader).toList();
    }

    private void removeIfDeserted(Topic topic) {
        if (topic.isDeserted()) {
            table.remove(topic);
        }
    }
}

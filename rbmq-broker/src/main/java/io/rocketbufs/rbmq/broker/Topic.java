package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.SubscriptionState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A topic: its name, the buffers of its publishers, its subscribers, and its last message if it is kept. Subscribers
 * whose filters match the topic are among its readers while it has a buffer or a message. Publishers are notified of
 * the number of subscribers when they join, and when the topic gains its first subscriber or loses its last one.
 *
 * <p><b>Thread-safety:</b> must be called while holding the lock of {@link Topics}.
 */
final class Topic {
    private final String name;
    private final List<TopicBuffer> buffers = new ArrayList<>();
    private final List<TopicReader> readers = new ArrayList<>();
    /** Null until a buffer joins whose rule keeps the last message. */
    private LastMessage lastMessage;

    private final TopicTotals totals = new TopicTotals();

    Topic(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    List<TopicBuffer> buffers() {
        return Collections.unmodifiableList(buffers);
    }

    List<TopicReader> readers() {
        return Collections.unmodifiableList(readers);
    }

    void add(TopicBuffer buffer) {
        buffers.add(buffer);
        buffer.joined(this);
    }

    /**
     * Starts recording the buffer in which the last message arrived.
     *
     * @param onOutdated removes an outdated copy of the last message; runs on any worker
     */
    void keepLast(Runnable onOutdated) {
        if (lastMessage == null) {
            lastMessage = new LastMessage(onOutdated);
        }
    }

    /** Returns the location of the last message; null before {@link #keepLast}. */
    LastMessage lastMessage() {
        return lastMessage;
    }

    /** Returns the copy of the last message, whose publisher has left; null if there is no copy. */
    KeptMessage keptMessage() {
        return lastMessage == null ? null : lastMessage.copy();
    }

    /** Removes a buffer; returns false if the topic does not contain it. */
    boolean remove(TopicBuffer buffer) {
        boolean removed = buffers.remove(buffer);
        if (removed) {
            buffer.endInterest();
            totals.ended().addReceived(buffer.receivedLength(), buffer.transferCount());
        }
        return removed;
    }

    void add(TopicReader reader) {
        readers.add(reader);
        if (readers.size() == 1) {
            notifyInterest();
        }
    }

    void remove(TopicReader reader) {
        if (readers.remove(reader) && readers.isEmpty()) {
            notifyInterest();
        }
    }

    private void notifyInterest() {
        int count = subscriberCount();
        buffers.forEach(buffer -> buffer.changeInterest(count));
    }

    /** Returns the number of subscribers. A subscriber with several subscriptions that match this topic counts once. */
    int subscriberCount() {
        return readers.size() < 2
                ? readers.size()
                : (int) readers.stream().map(TopicReader::subscriber).distinct().count();
    }

    /** Adds a reader whose filter matches this topic. */
    void addMatch(TopicReader reader) {
        add(reader);
        reader.addMatch(this);
    }

    /** Removes the readers whose filters match this topic. Called when the topic has no publisher to be notified. */
    void removeMatches() {
        readers.removeIf(reader -> reader.filter().isWildcard() && reader.removeMatch(this));
    }

    /** Returns true if the topic has no publisher and no message. */
    boolean isEmpty() {
        return buffers.isEmpty() && keptMessage() == null;
    }

    boolean isDeserted() {
        return isEmpty() && readers.isEmpty();
    }

    /** Returns the totals, which also identify this topic even after it has ended. */
    TopicTotals totals() {
        return totals;
    }

    /** Adds the final counters of a subscription. */
    void addEnded(SubscriptionState last) {
        totals.ended().addSent(last);
    }

    /** Returns the data received, including from departed publishers, and the data sent in ended subscriptions. */
    Traffic traffic() {
        TrafficSum sum = new TrafficSum();
        sum.add(totals.ended().read());
        for (TopicBuffer buffer : buffers) {
            sum.addReceived(buffer.receivedLength(), buffer.transferCount());
        }
        return sum.read();
    }
}

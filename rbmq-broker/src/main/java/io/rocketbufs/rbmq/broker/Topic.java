package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.SubscriptionState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A topic: its name, the buffers of its publishers, its subscribers, and its last message if that is kept. Subscribers
 * whose filters match the topic are among its readers while it has a buffer or a message. Publishers are notified of
 * the number of subscribers when they join, and when the topic gets its first subscriber or loses its last one.
 *
 * <p><b>Thread-safety:</b> guarded by the lock of {@link Topics}.
 */
final class Topic {
    private final String name;
    private final List<TopicBuffer> buffers = new ArrayList<>();
    private final List<TopicReader> readers = new ArrayList<>();
    /** Null while no buffer has joined whose rule keeps the last message. */
    private LastMessage lastMessage;

    /** The traffic of departed publishers, and of subscriptions that have ended. */
    private final TrafficSum ended = new TrafficSum();

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
     * Records from now on where the last message has arrived.
     *
     * @param onOutdated removes a copy of the last message that is out of date, on any worker
     */
    void keepLast(Runnable onOutdated) {
        if (lastMessage == null) {
            lastMessage = new LastMessage(onOutdated);
        }
    }

    /** Returns where the last message is; null before {@link #keepLast}. */
    LastMessage lastMessage() {
        return lastMessage;
    }

    /** Returns the copy of the last message, whose publisher has left; null when there is none. */
    KeptMessage keptMessage() {
        return lastMessage == null ? null : lastMessage.copy();
    }

    /** Removes a buffer; returns false when the topic does not contain it. */
    boolean remove(TopicBuffer buffer) {
        boolean removed = buffers.remove(buffer);
        if (removed) {
            buffer.endInterest();
            ended.addReceived(buffer.receivedLength(), buffer.transferCount());
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

    /** Returns the number of subscribers; one with several subscriptions that match this topic counts once. */
    int subscriberCount() {
        return (int) readers.stream().map(TopicReader::subscriber).distinct().count();
    }

    /** Adds a reader whose filter matches this topic. */
    void addMatch(TopicReader reader) {
        add(reader);
        reader.addMatch(this);
    }

    /** Removes the readers whose filters match this topic, which has no publisher that could be notified. */
    void removeMatches() {
        readers.removeIf(reader -> reader.filter().isWildcard() && reader.removeMatch(this));
    }

    /** Returns true when the topic has no publisher and no message. */
    boolean isEmpty() {
        return buffers.isEmpty() && keptMessage() == null;
    }

    boolean isDeserted() {
        return isEmpty() && readers.isEmpty();
    }

    /** Returns an object that stands for this topic after it has ended. */
    Object identity() {
        return ended;
    }

    /** Adds the final counters of a subscription. */
    void addEnded(SubscriptionState last) {
        ended.addSent(last);
    }

    /**
     * Returns what was received, including the data from publishers that have left, and what was sent in subscriptions
     * that have ended.
     */
    Traffic traffic() {
        TrafficSum sum = new TrafficSum();
        sum.add(ended.read());
        for (TopicBuffer buffer : buffers) {
            sum.addReceived(buffer.receivedLength(), buffer.transferCount());
        }
        return sum.read();
    }
}

package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.SlowCallback;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscribers that delay publishers. Delays are logged, and the subscriber and the publisher are notified of them.
 * A subscriber that delays a publisher for too long is disconnected. Data losses of subscribers are logged as well.
 *
 * <p><b>Thread-safety:</b> any thread; events of a subscriber are processed on its connection's worker.
 */
final class SlowSubscribers implements SlowCallback {
    private static final Logger LOG = LoggerFactory.getLogger(SlowSubscribers.class);

    /**
     * The publishers' buffers by the broker's ids of the buffers that subscribers read: that of the publisher or of a
     * group member.
     */
    private final Map<Integer, TopicBuffer> buffers = new ConcurrentHashMap<>();

    private final IntFunction<String> topicOf;
    private final Map<Connection, SlowSubscriber> subscribers = new ConcurrentHashMap<>();

    private final LongAdder heldBackMs = new LongAdder();

    // Guarded by this object's lock, because a decreasing counter would look like a broker restart.
    private long departedDelays;
    private long departedMs;

    /**
     * Counters that cover all subscribers.
     *
     * @param slowCount number of subscribers that currently delay a publisher
     * @param pendingLength number of bytes that wait for these subscribers in the buffers of delayed publishers
     * @param delayCount number of delays so far, each of one publisher by one subscriber on one topic
     * @param delayMs time for which subscribers have delayed publishers, in milliseconds
     */
    record Numbers(int slowCount, long pendingLength, long delayCount, long delayMs) {}

    /** @param topicOf maps a buffer id to its topic, even if the publisher has left; null if the topic is unknown */
    SlowSubscribers(IntFunction<String> topicOf) {
        this.topicOf = topicOf;
    }

    /** Adds a buffer before any subscriber can delay its publisher. */
    void add(TopicBuffer buffer) {
        buffers.put(buffer.bufferId(), buffer);
    }

    /** Removes a buffer whose publisher has left. Open episodes continue until the last data has been sent. */
    void remove(TopicBuffer buffer) {
        buffer.leave();
        buffers.remove(buffer.bufferId());
    }

    /** Adds the buffer of a group's member, which can delay the publisher of another buffer. */
    void addMember(int memberBufferId, TopicBuffer source) {
        buffers.put(memberBufferId, source);
    }

    /** Removes the buffer of a former member. */
    void removeMember(int memberBufferId) {
        buffers.remove(memberBufferId);
    }

    /** Adds a subscriber before it subscribes to any buffer. */
    void add(ConnectedSubscriber subscriber, ScheduledExecutorService timer) {
        subscribers.put(
                subscriber.connection(),
                new SlowSubscriber(
                        subscriber,
                        log(SlowLog.Kind.DELAY, subscriber, timer),
                        log(SlowLog.Kind.LOSS, subscriber, timer),
                        this::countWait));
    }

    private static SlowLog log(SlowLog.Kind kind, ConnectedSubscriber subscriber, ScheduledExecutorService timer) {
        return new SlowLog(
                LOG,
                kind,
                subscriber,
                (task, delayMs) -> timer.schedule(task, delayMs, TimeUnit.MILLISECONDS),
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    private void countWait(ConnectedPublisher publisher, long waitedMs) {
        if (waitedMs > 0) {
            heldBackMs.add(publisher.waits().add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()), waitedMs));
        }
    }

    /** Removes a subscriber that has left and whose subscriptions have ended. */
    void remove(ConnectedSubscriber subscriber) {
        SlowSubscriber left = subscribers.get(subscriber.connection());
        if (left != null) {
            left.close();
            forget(subscriber.connection(), left);
        }
    }

    private synchronized void forget(Connection connection, SlowSubscriber left) {
        subscribers.remove(connection);
        departedDelays += left.delayCount();
        departedMs += left.delayMs();
    }

    @Override
    public void onSlow(int bufferId, Connection connection, SlowState state) {
        SlowSubscriber subscriber = subscribers.get(connection);
        if (subscriber != null) {
            subscriber.onSlow(bufferId, state, buffers);
        }
    }

    @Override
    public void onLoss(int bufferId, Connection connection, LossState state) {
        SlowSubscriber subscriber = subscribers.get(connection);
        if (subscriber != null) {
            subscriber.onLoss(bufferId, state, buffers.get(bufferId), topicOf.apply(bufferId));
        }
    }

    /**
     * Returns how long publishers have waited for subscribers, in milliseconds, summed over the publishers. Time during
     * which a publisher waits for several subscribers or on several topics counts once.
     */
    long heldBackMs() {
        return heldBackMs.sum();
    }

    synchronized Numbers numbers() {
        int slowCount = 0;
        long pendingLength = 0;
        long delayCount = departedDelays;
        long delayMs = departedMs;
        for (SlowSubscriber subscriber : subscribers.values()) {
            slowCount += subscriber.openCount() > 0 ? 1 : 0;
            pendingLength += subscriber.pendingLength();
            delayCount += subscriber.delayCount();
            delayMs += subscriber.delayMs();
        }
        return new Numbers(slowCount, pendingLength, delayCount, delayMs);
    }
}

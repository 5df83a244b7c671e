package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import java.util.List;

/**
 * One subscriber's subscription to a topic, and the notices about it.
 *
 * <p><b>Thread-safety:</b> notices are sent while holding the lock of {@link Topics}, which keeps them in order.
 *
 * @param subscriber the subscriber
 * @param number the subscriber's own number for this subscription
 * @param topic the topic
 * @param policy the slow policy that the subscriber requests; null leaves the choice to the broker
 */
record TopicReader(ConnectedSubscriber subscriber, int number, String topic, SlowPolicy policy) {
    /** Tells the subscriber which buffers have joined the topic. */
    void notifyAdded(List<BuffersLayout.Entry> entries) {
        for (int i = 0; i < entries.size(); i += BuffersLayout.MAX_COUNT) {
            subscriber.send(BuffersLayout.write(
                    number, entries.subList(i, Math.min(entries.size(), i + BuffersLayout.MAX_COUNT))));
        }
    }

    /**
     * Tells the subscriber that a buffer receives no more data.
     *
     * @param failure null when its publisher closed it gracefully
     */
    void notifyRemoved(TopicBuffer buffer, String failure) {
        subscriber.send(NoticeLayout.write(
                RbmqType.BUFFER_REMOVED,
                number,
                buffer.bufferId(),
                buffer.publisher().number(),
                failure == null ? "" : failure));
    }

    /** Tells the subscriber that it now knows all buffers that the topic had when it subscribed. */
    void notifyListed() {
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, number, ""));
    }
}

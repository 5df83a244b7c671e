package io.rocketbufs.rbmq.broker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A subscription's membership in a group. It contains the member's buffers, one for each publisher's buffer on the
 * topics that match the filter, and the number of messages that the member has yet to consume.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class GroupMember {
    private final String group;
    private final ConnectedSubscriber subscriber;
    private final AtomicInteger unconsumedCount = new AtomicInteger();
    /**
     * The shares by the broker's id of the publisher's buffer. An entry remains until the member's buffer is removed.
     */
    private final Map<Integer, Membership> shares = new ConcurrentHashMap<>();
    /**
     * The ids of the member's buffers by the id of the publisher's buffer. An entry remains until the member is
     * notified that the publisher's buffer has ended.
     */
    private final Map<Integer, Integer> bufferIds = new ConcurrentHashMap<>();

    GroupMember(String group, ConnectedSubscriber subscriber) {
        this.group = group;
        this.subscriber = subscriber;
    }

    /** Returns the group's name. */
    String group() {
        return group;
    }

    ConnectedSubscriber subscriber() {
        return subscriber;
    }

    /** Returns the number of messages from all publishers that the member is not known to have consumed. */
    AtomicInteger unconsumedCount() {
        return unconsumedCount;
    }

    void add(Membership share) {
        subscriber.countShares(1);
        int sourceId = share.buffer().source().bufferId();
        shares.put(sourceId, share);
        bufferIds.put(sourceId, share.buffer().id());
    }

    /** Removes the share of the publisher's buffer with the given broker's id. */
    void remove(int sourceId) {
        if (shares.remove(sourceId) != null) {
            subscriber.countShares(-1);
        }
    }

    /** Returns all shares. */
    List<Membership> shares() {
        return List.copyOf(shares.values());
    }

    /**
     * Returns the id of the member's buffer that corresponds to the publisher's buffer with the given id; -1 if there
     * is none.
     */
    int bufferId(int sourceId) {
        return bufferIds.getOrDefault(sourceId, -1);
    }

    /**
     * Removes the id of the member's buffer for a publisher's buffer, because the member is being notified of its end.
     */
    void forgetId(int sourceId) {
        bufferIds.remove(sourceId);
    }
}

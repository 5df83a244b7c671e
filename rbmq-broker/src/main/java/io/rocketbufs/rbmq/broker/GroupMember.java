package io.rocketbufs.rbmq.broker;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A subscription's membership of a group: its buffers, one for each publisher's buffer of the topics that match its
 * filter, and the number of messages that it has to consume.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class GroupMember {
    private final String group;
    private final ConnectedSubscriber subscriber;
    private final AtomicInteger unconsumedCount = new AtomicInteger();
    /** The shares, by the broker's id of the publisher's buffer, until the member's buffer is gone. */
    private final Map<Integer, Membership> shares = new ConcurrentHashMap<>();
    /** The ids of the member's buffers, by that of the publisher's buffer, until the member knows of its end. */
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

    /** Returns the number of messages, of all publishers, that the member is not known to have consumed. */
    AtomicInteger unconsumedCount() {
        return unconsumedCount;
    }

    void add(Membership share) {
        subscriber.countShares(1);
        int sourceId = share.buffer().source().bufferId();
        shares.put(sourceId, share);
        bufferIds.put(sourceId, share.buffer().id());
    }

    /** Removes the share of a publisher's buffer, by the broker's id for that. */
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
     * Returns the id of the member's buffer for a publisher's buffer, which is given by its id; -1 if there is none.
     */
    int bufferId(int sourceId) {
        return bufferIds.getOrDefault(sourceId, -1);
    }

    /** Forgets the id of the member's buffer for a publisher's buffer, of whose end the member is told. */
    void forgetId(int sourceId) {
        bufferIds.remove(sourceId);
    }
}

package io.rocketbufs.rbmq.broker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A subscription's membership of a group: its buffers, one for each publisher's buffer of the topics that match its
 * filter, and the number of messages that it has to consume.
 *
 * <p><b>Thread-safety:</b> under the lock of {@link Topics}, except for the number of unconsumed messages, which the
 * publishers' workers change and read.
 */
final class GroupMember {
    private final String group;
    private final AtomicInteger unconsumedCount = new AtomicInteger();
    /** The shares, by the broker's id of the publisher's buffer. */
    private final Map<Integer, Membership> shares = new HashMap<>();

    GroupMember(String group) {
        this.group = group;
    }

    /** Returns the group's name. */
    String group() {
        return group;
    }

    /** Returns the number of messages, of all publishers, that the member is not known to have consumed. */
    AtomicInteger unconsumedCount() {
        return unconsumedCount;
    }

    void add(Membership share) {
        shares.put(share.source().bufferId(), share);
    }

    /** Removes and returns the share of a publisher's buffer, by the broker's id for that; null if there is none. */
    Membership remove(int sourceId) {
        return shares.remove(sourceId);
    }

    /** Removes and returns all shares. */
    List<Membership> removeAll() {
        List<Membership> all = new ArrayList<>(shares.values());
        shares.clear();
        return all;
    }

    /**
     * Returns the id of the member's buffer for a publisher's buffer, which is given by its id; -1 if there is none.
     */
    int bufferId(int sourceId) {
        Membership share = shares.get(sourceId);
        return share == null ? -1 : share.buffer().id();
    }
}

package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.SubscriptionCallback;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * The groups of a broker: subscriptions with the same filter and group, which share the messages. Each member has its
 * own buffer for each publisher's buffer, to which it subscribes as other subscribers do to the publisher's.
 *
 * <p><b>Thread-safety:</b> any thread. A group is found, joined and removed under this object's lock, which may be
 * taken under the lock of {@link Topics}.
 */
final class Groups implements SubscriptionCallback, GroupBuffer.Owner {
    private static final long CHECK_MS = 250;

    private final ROut out;
    private final BufferTopics bufferTopics;
    private final Drains drains;
    private final SlowSubscribers slow;
    private final IntSupplier batch;
    private final GroupCounts counts = new GroupCounts();
    /** The shares of members, by the broker's id of the member's buffer, until that is gone. */
    private final Map<Integer, Membership> shares = new ConcurrentHashMap<>();
    /** The groups' readers of publishers' buffers, with these buffers. */
    private final Map<GroupBuffer, TopicBuffer> readers = new ConcurrentHashMap<>();
    /** True while {@link #check} runs from time to time. */
    private boolean isChecking;

    /**
     * Creates an empty set.
     *
     * @param batch returns the maximum number of messages that a member receives at a time, for groups that begin to
     *     read a buffer now
     */
    Groups(ROut out, BufferTopics bufferTopics, SlowSubscribers slow, Drains drains, IntSupplier batch) {
        this.out = out;
        this.bufferTopics = bufferTopics;
        this.slow = slow;
        this.drains = drains;
        this.batch = batch;
    }

    @Override
    public GroupCounts counts() {
        return counts;
    }

    /**
     * Adds a member to the group that reads a publisher's buffer.
     *
     * @return the member's buffer
     * @throws RuntimeException when it cannot be created, for example because there is no memory
     */
    synchronized MemberBuffer join(TopicBuffer source, TopicReader reader) {
        GroupBuffer known = source.group(reader.groupKey());
        GroupBuffer group = known == null ? open(source, reader.groupKey()) : known;
        MemberBuffer buffer = group.add(bufferTopics.nextId(), reader.member());
        Membership share = new Membership(group, buffer);
        slow.addMember(buffer.id(), source);
        shares.put(buffer.id(), share);
        reader.member().add(share);
        return buffer;
    }

    private GroupBuffer open(TopicBuffer source, GroupKey key) {
        GroupBuffer group = new GroupBuffer(
                key,
                new GroupSource(source.publisher(), source.topic(), source.rule(), source.entry()),
                out,
                batch.getAsInt(),
                this);
        readers.put(group, source);
        source.addGroup(group);
        if (!isChecking) {
            isChecking = true;
            drains.schedule(this::check, CHECK_MS);
        }
        return group;
    }

    @Override
    public synchronized boolean close(GroupBuffer group, boolean isForced) {
        if (!isForced && group.hasMembers()) {
            return false;
        }
        TopicBuffer source = readers.get(group);
        if (source != null) {
            source.removeGroup(group);
        }
        return true;
    }

    @Override
    public void onGone(GroupBuffer group) {
        readers.remove(group);
    }

    @Override
    public void onGone(MemberBuffer member) {
        slow.removeMember(member.id());
        shares.remove(member.id());
        member.member().remove(member.source().bufferId());
    }

    /**
     * Removes a member from its group. If it was the last one, the messages that wait for the group are discarded.
     *
     * @param mayReturn true to keep it until the join timeout of the topic, because the member may join again
     */
    void leave(TopicReader reader, boolean mayReturn) {
        for (Membership share : reader.member().shares()) {
            share.group().leave(share.buffer(), mayReturn);
        }
    }

    /** Called when a publisher's buffer receives no more data. Its groups hand out the remaining messages. */
    void onEnd(TopicBuffer source) {
        source.groups().forEach(GroupBuffer::onEnd);
    }

    private void check() {
        try {
            readers.keySet().forEach(GroupBuffer::check);
        } finally {
            checkLater();
        }
    }

    private synchronized void checkLater() {
        isChecking = !readers.isEmpty();
        if (isChecking) {
            drains.schedule(this::check, CHECK_MS);
        }
    }

    /** Returns the topic of a member's buffer; null if there is none with this id. */
    String topicOf(int bufferId) {
        Membership share = shares.get(bufferId);
        return share == null ? null : share.buffer().source().topic();
    }

    /** Returns true when a buffer is that of a member. */
    boolean has(int bufferId) {
        return shares.containsKey(bufferId);
    }

    /** Returns true when a connection may subscribe to a buffer: it is the member's, and has not done so yet. */
    boolean admits(int bufferId, Connection connection) {
        Membership share = shares.get(bufferId);
        return share != null && share.buffer().admits(connection);
    }

    @Override
    public void onSubscribed(int bufferId, Connection connection) {
        Membership share = shares.get(bufferId);
        if (share != null) {
            share.group().execute(share.buffer()::open);
        }
    }

    @Override
    public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
        Membership share = shares.get(bufferId);
        if (share != null) {
            share.group().execute(share.buffer()::end);
        }
    }
}

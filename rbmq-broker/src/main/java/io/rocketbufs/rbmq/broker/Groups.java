package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.SubscriptionCallback;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * The groups of a broker. Subscriptions with the same filter and group name form a group and share the messages. Each
 * member has its own buffer for each publisher's buffer and subscribes to it, whereas other subscribers subscribe to
 * the publisher's buffer.
 *
 * <p><b>Thread-safety:</b> any thread. Groups are looked up, joined and removed while this object's lock is held; it
 * may be acquired while holding the lock of {@link Topics}.
 */
final class Groups implements SubscriptionCallback, GroupBuffer.Owner {
    private static final long CHECK_MS = 250;

    private final ROut out;
    private final BufferTopics bufferTopics;
    private final Drains drains;
    private final SlowSubscribers slow;
    private final IntSupplier batch;
    private final GroupCounts counts = new GroupCounts();
    /**
     * The shares of members by the broker's id of the member's buffer. An entry remains until that buffer is removed.
     */
    private final Map<Integer, Membership> shares = new ConcurrentHashMap<>();
    /** The publishers' buffers by the group that reads them. */
    private final Map<GroupBuffer, TopicBuffer> readers = new ConcurrentHashMap<>();
    /** True while {@link #check} is scheduled periodically. */
    private boolean isChecking;

    /**
     * Creates an empty set of groups.
     *
     * @param batch supplies the maximum number of messages that a member receives at a time; queried when a group
     *     starts to read a buffer
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
     * @throws RuntimeException if the buffer cannot be created, for example because there is no memory
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
     * Removes a member from its group. If it was the last member, the messages that wait for the group are discarded.
     *
     * @param mayReturn true to keep the messages until the topic's join timeout expires, because the member may rejoin
     */
    void leave(TopicReader reader, boolean mayReturn) {
        for (Membership share : reader.member().shares()) {
            share.group().leave(share.buffer(), mayReturn);
        }
    }

    /** Called when a publisher's buffer will receive no more data. Its groups still hand out the remaining messages. */
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

    /** Returns the topic of a member's buffer; null if no member's buffer has this id. */
    String topicOf(int bufferId) {
        Membership share = shares.get(bufferId);
        return share == null ? null : share.buffer().source().topic();
    }

    /** Returns true if the buffer belongs to a member. */
    boolean has(int bufferId) {
        return shares.containsKey(bufferId);
    }

    /**
     * Returns true if a connection may subscribe to a buffer: the buffer belongs to that connection's member, which has
     * not subscribed to it yet.
     */
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

package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.options.SlowPolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * The groups of a broker: subscriptions with the same filter and group, which share the messages. Each member has its
 * own buffer for each publisher's buffer, to which it subscribes as other subscribers do to the publisher's.
 *
 * <p><b>Thread-safety:</b> any thread, unless stated otherwise.
 */
final class Groups implements SubscriptionCallback {
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

    private final AtomicBoolean isChecking = new AtomicBoolean();

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

    GroupCounts counts() {
        return counts;
    }

    // Under the lock of Topics.

    /** Lets a reader, which is a member, have its share of a publisher's buffer; returns the member's buffer. */
    MemberBuffer join(TopicBuffer source, TopicReader reader) {
        GroupBuffer known = source.group(reader.groupKey());
        GroupBuffer group = known == null ? open(source, reader.groupKey()) : known;
        MemberBuffer buffer = new MemberBuffer(
                out,
                bufferTopics.nextId(),
                source.entry(),
                source.rule().memberOptions(),
                reader.subscriber().connection(),
                reader.member().unconsumedCount(),
                group.batchLimit(),
                group::wake);
        group.feeds(buffer.id());
        Membership share = new Membership(group.source(), group, buffer);
        slow.addMember(buffer.id(), source);
        shares.put(buffer.id(), share);
        reader.member().add(share);
        group.countMembers(1);
        group.execute(() -> group.add(buffer));
        return buffer;
    }

    private GroupBuffer open(TopicBuffer source, GroupKey key) {
        boolean skips = source.rule().slowPolicy() == SlowPolicy.SKIP;
        GroupBuffer group = new GroupBuffer(
                out,
                key.name(),
                new GroupSource(source.publisher(), source.topic(), source.rule(), source.entry()),
                out.openReader(source.bufferId(), skips),
                batch.getAsInt(),
                counts,
                this::forget,
                readers::remove);
        readers.put(group, source);
        source.addGroup(key, group);
        if (isChecking.compareAndSet(false, true)) {
            drains.after(CHECK_MS, this::check);
        }
        return group;
    }

    private void forget(MemberBuffer gone) {
        slow.removeMember(gone.id());
        shares.remove(gone.id());
    }

    /**
     * Removes a member from its group. If it was the last one, what waits for the group is discarded.
     *
     * @param mayReturn true to keep it until the join timeout of the topic, because the member may join again
     * @param lock the lock of Topics
     */
    void leave(TopicReader reader, boolean mayReturn, Object lock) {
        GroupKey key = reader.groupKey();
        for (Membership share : reader.member().removeAll()) {
            GroupBuffer group = share.group();
            group.execute(share.buffer()::leave);
            if (group.countMembers(-1) == 0 && mayReturn) {
                drains.after(share.source().rule().joinTimeoutMs(), () -> {
                    synchronized (lock) {
                        removeIfDeserted(group, key);
                    }
                });
            } else {
                removeIfDeserted(group, key);
            }
        }
    }

    private void removeIfDeserted(GroupBuffer group, GroupKey key) {
        TopicBuffer source = readers.get(group);
        if (source != null && group.countMembers(0) == 0 && source.group(key) == group) {
            source.removeGroup(key);
            group.execute(group::desert);
        }
    }

    // Any thread.

    /** Called when a publisher's buffer receives no more data. What its groups have not consumed is handed out. */
    void onEnd(TopicBuffer source) {
        for (GroupBuffer group : source.groups()) {
            group.wake();
            drains.after(source.rule().drainTimeoutMs(), () -> group.execute(group::giveUp));
        }
    }

    private void check() {
        readers.keySet().forEach(GroupBuffer::checkStalled);
        drains.after(CHECK_MS, this::check);
    }

    /** Returns the topic of a member's buffer; null if there is none with this id. */
    String topicOf(int bufferId) {
        Membership share = shares.get(bufferId);
        return share == null ? null : share.source().topic();
    }

    /** Returns true when a buffer is that of a member. */
    boolean has(int bufferId) {
        return shares.containsKey(bufferId);
    }

    /** Returns true once for each buffer of a member: when it subscribes over its own connection. */
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

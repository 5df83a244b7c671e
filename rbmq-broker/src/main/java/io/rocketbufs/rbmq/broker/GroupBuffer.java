package io.rocketbufs.rbmq.broker;

import io.rocketbufs.LocalReader;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.SlowPolicy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One publisher's buffer, as read by a group: its messages are copied, a batch at a time, into the buffer of the member
 * that has the fewest messages to consume.
 *
 * <pre>
 *                          +--&gt; member 1: m1 m2 m6 ...
 *   publisher's buffer ----+--&gt; member 2: m3 m4 m5 m9 ...
 *     m1 m2 m3 m4 ...      +--&gt; member 3: m7 m8 ...
 * </pre>
 *
 * <p>The copies make members independent of each other. If members read the publisher's memory, the oldest message of
 * the slowest member would stop all of them, because a circular buffer frees memory in order. The publisher's buffer
 * waits only while no member can take more, according to the policy of the topic.
 *
 * <p>The state follows from those of the members' buffers:
 *
 * <pre>
 *              no member is awaited           join timeout, or none may return
 *   SERVING -------------------------&gt; VACANT ---------------------------------&gt; DISCARDING
 *      ^                                  |                                          |
 *      +---- a member joins, or a late one subscribes ----+--------------------------+
 *
 *   any state ---- the publisher has left, and all is consumed, or its drain timeout expires ---&gt; CLOSED
 *   DISCARDING --- no member's buffer is left --------------------------------------------------&gt; CLOSED
 * </pre>
 *
 * <p>Messages that an ended member has not consumed come before new ones. The messages of a publisher that has left are
 * handed out until all are consumed, or its drain timeout expires. Messages that are discarded while a late member may
 * still subscribe are reported to it as missing.
 *
 * <p><b>Thread-safety:</b> the publisher's worker, unless a method states otherwise. <b>Ownership:</b> owns the reader
 * of the publisher's buffer and the members' buffers.
 */
final class GroupBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(GroupBuffer.class);
    private static final long NEVER = -1;

    private enum State {
        /** The group waits for a member to take messages. */
        SERVING,
        /** Messages wait for a member that may return. */
        VACANT,
        /** Messages are discarded, because no member is expected soon. */
        DISCARDING,
        /** Nothing further is handed out. */
        CLOSED
    }

    /** The result of an attempt to hand out a batch. */
    private enum Step {
        HANDED_OUT,
        NOTHING_LEFT,
        /** No member can take more. */
        BLOCKED
    }

    /** The groups of the broker. */
    interface Owner {
        /** Returns the counters of all groups. */
        GroupCounts counts();

        /**
         * Called when nothing further is handed out: the group can no longer be joined.
         *
         * @param isForced false if the group continues when a member has joined
         * @return false when the group continues
         */
        boolean close(GroupBuffer group, boolean isForced);

        /** Called when a member's buffer is gone. */
        void onGone(MemberBuffer member);

        /** Called when the group is closed, and all its members' buffers are gone. */
        void onGone(GroupBuffer group);
    }

    private final GroupKey key;
    private final GroupSource source;
    private final ROut out;
    private final LocalReader reader;
    private final int batchLimit;
    private final MessageBatch batch;
    private final Owner owner;
    /** The members. Added under the owner's lock, and removed by the publisher's worker. */
    private final List<MemberBuffer> members = new CopyOnWriteArrayList<>();
    /** The buffers of ended members with messages for others. */
    private final Queue<MemberBuffer> returned = new ArrayDeque<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private State state = State.SERVING;
    /** True unless the member that left last has ended its subscription. */
    private boolean mayReturn = true;
    /** When the group became vacant. */
    private long vacantNs;
    /** When the publisher's buffer ended; NEVER until then. */
    private long endedNs = NEVER;
    /** Since when the publisher has waited for this group; NEVER when it does not. */
    private long waitingNs = NEVER;

    private int last;
    private long lost;
    /** Number of bytes that have been discarded and are not in the log yet. */
    private long discarded;
    /** True while messages wait because no member can take them. */
    private volatile boolean blocked;
    /** True while {@link #check} has to do something. */
    private volatile boolean needsCheck = true;

    /**
     * Creates the reader of a publisher's buffer that begins with the next message. Any thread.
     *
     * @param batchLimit maximum number of messages that a member receives at a time
     */
    GroupBuffer(GroupKey key, GroupSource source, ROut out, int batchLimit, Owner owner) {
        this.key = key;
        this.source = source;
        this.out = out;
        this.reader = out.openReader(source.bufferId(), source.rule().slowPolicy() == SlowPolicy.SKIP);
        this.batchLimit = batchLimit;
        this.batch = new MessageBatch(batchLimit);
        this.owner = owner;
    }

    // Under the lock of the owner.

    /** Adds a member, for which the group now waits, and returns its buffer. */
    MemberBuffer add(int id, GroupMember member) {
        MemberBuffer added = new MemberBuffer(out, id, source, member, batchLimit, this::wake);
        out.setOrigin(id, reader, () -> blocked);
        members.add(added);
        wake();
        return added;
    }

    /** Returns true when there are members, or buffers of earlier ones. */
    boolean hasMembers() {
        return !members.isEmpty();
    }

    // Any thread.

    /** Returns the identity of the group. */
    GroupKey key() {
        return key;
    }

    /** Returns the publisher's buffer. */
    GroupSource source() {
        return source;
    }

    /** Returns the number of bytes that no member has received. */
    long unreadLength() {
        return reader.pendingLength();
    }

    /** Runs a task on the publisher's worker, and then hands out messages. */
    void execute(Runnable task) {
        source.publisher().execute(() -> {
            task.run();
            handOut();
        });
    }

    /**
     * Called when a member has left.
     *
     * @param canReturn true when it may join again, because its connection has ended
     */
    void leave(MemberBuffer member, boolean canReturn) {
        execute(() -> {
            mayReturn = member.isLate() ? mayReturn : canReturn;
            member.leave();
        });
    }

    /** Called when the publisher's buffer receives no more data. The remaining messages are handed out. */
    void onEnd() {
        execute(() -> {
            if (endedNs == NEVER) {
                endedNs = System.nanoTime();
            }
        });
    }

    /** Lets the publisher's worker hand out messages soon. */
    void wake() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            source.publisher().execute(this::handOut);
        }
    }

    /** Applies timeouts. Called from time to time. */
    void check() {
        if (needsCheck) {
            wake();
        }
    }

    // The publisher's worker.

    private void handOut() {
        scheduled.set(false);
        long nowNs = System.nanoTime();
        boolean hasTimeout = false;
        for (MemberBuffer each : members) {
            each.update(nowNs);
            hasTimeout |= each.hasTimeout();
        }
        collectEnded();
        followMembers(nowNs);
        Step step = Step.NOTHING_LEFT;
        if (state == State.SERVING) {
            step = handOutAll();
        } else if (state == State.DISCARDING) {
            discardAll();
        }
        blocked = step == Step.BLOCKED; // changes once, because others read it at any time
        watchStalled(nowNs);
        endIfDone(nowNs);
        needsCheck = blocked || state != State.SERVING || endedNs != NEVER || hasTimeout;
    }

    private Step handOutAll() {
        Step step = Step.HANDED_OUT;
        while (step == Step.HANDED_OUT) {
            step = handOutSome();
        }
        return step;
    }

    private void collectEnded() {
        for (MemberBuffer each : members) {
            if (each.isEnded()) {
                members.remove(each);
                if (each.reader().pendingLength() > 0 && state != State.CLOSED) {
                    returned.add(each);
                } else {
                    free(each);
                }
            }
        }
        if (state == State.CLOSED && members.isEmpty()) {
            owner.onGone(this);
        }
    }

    private void free(MemberBuffer member) {
        member.remove();
        owner.onGone(member);
    }

    private void followMembers(long nowNs) {
        if (state == State.CLOSED) {
            return;
        }
        if (isAnyAwaited()) {
            if (state == State.DISCARDING) {
                logDiscarded("until a member subscribed");
            }
            state = State.SERVING;
            mayReturn = true;
        } else if (state == State.SERVING) {
            state = State.VACANT;
            vacantNs = nowNs;
        }
        if (state == State.VACANT
                && (!mayReturn || hasPassed(vacantNs, source.rule().joinTimeoutMs(), nowNs))) {
            state = State.DISCARDING;
        }
    }

    private boolean isAnyAwaited() {
        for (MemberBuffer each : members) {
            if (each.isAwaited()) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasPassed(long sinceNs, long timeoutMs, long nowNs) {
        return TimeUnit.NANOSECONDS.toMillis(nowNs - sinceNs) >= timeoutMs;
    }

    /** Hands out one batch. */
    private Step handOutSome() {
        MemberBuffer from = returned.peek();
        LocalReader messages = from == null ? reader : from.reader();
        Segment data = messages.next();
        lost += messages.takeLost(); // includes bytes of which an ended member may not have been told
        if (data.length() == 0) {
            return Step.NOTHING_LEFT;
        }
        MemberBuffer to = choose();
        if (to == null) {
            return Step.BLOCKED;
        }
        if (!batch.find(data, to.room(), source.entry().capacity() / 4)) {
            onMalformed();
            return Step.NOTHING_LEFT;
        }
        if (from != null) {
            batch.mark(source.entry().capacity());
        }
        if (!to.give(batch, lost)) {
            return Step.HANDED_OUT; // another member may have space
        }
        lost = 0;
        messages.consume(batch.length());
        if (from != null) {
            owner.counts().redelivered(batch.count());
            if (messages.pendingLength() == 0) {
                free(returned.remove());
            }
        }
        return Step.HANDED_OUT;
    }

    /**
     * Returns the member with the fewest unconsumed messages, in turn if several have as few; null if none can take
     * any.
     */
    private MemberBuffer choose() {
        MemberBuffer chosen = null;
        int count = members.size(); // it can only grow
        int index = last;
        for (int i = 0; i < count; i++) {
            index = index + 1 < count ? index + 1 : 0;
            MemberBuffer each = members.get(index);
            if (each.isTaking() && (chosen == null || each.unconsumedByMember() < chosen.unconsumedByMember())) {
                chosen = each;
                last = index;
            }
        }
        return chosen;
    }

    /**
     * Disconnects the publisher. Messages that the members have already received stay with them, or are redelivered.
     */
    private void onMalformed() {
        String what = "a message of buffer " + source.bufferId() + " of topic \"" + source.topic() + "\" is malformed: "
                + batch.problem();
        LOG.warn(
                "{}: {}; it is disconnected, because group \"{}\" cannot continue",
                source.publisher(),
                what,
                key.name());
        owner.counts().malformed();
        source.publisher().close(what);
        discardAll();
        logDiscarded("cannot read what follows a malformed message");
        reader.close();
    }

    /** While the publisher waits, finds out which members still consume, and disconnects those that do not. */
    private void watchStalled(long nowNs) {
        if (!blocked || !reader.isInTheWay()) {
            waitingNs = NEVER;
            return;
        }
        waitingNs = waitingNs == NEVER ? nowNs : waitingNs;
        long limitMs = source.rule().memberTimeoutMs();
        for (MemberBuffer each : members) {
            each.requestProgress();
            long stalledMs = TimeUnit.NANOSECONDS.toMillis(each.stalledNs(waitingNs, nowNs));
            if (limitMs > 0 && stalledMs >= limitMs) {
                each.disconnect("subscription to topic \"" + source.topic() + "\" in group \"" + key.name()
                        + "\" consumed nothing for " + stalledMs + " ms while the publisher waited for the group");
            }
        }
    }

    private void endIfDone(long nowNs) {
        if (state == State.CLOSED) {
            return;
        }
        if (reader.isAtEnd() && returned.isEmpty() && isConsumed()) {
            close();
        } else if (endedNs != NEVER && hasPassed(endedNs, source.rule().drainTimeoutMs(), nowNs)) {
            giveUp();
        } else if (state == State.DISCARDING && members.isEmpty() && owner.close(this, false)) {
            logDiscarded("no longer has members");
            close();
        }
    }

    private boolean isConsumed() {
        for (MemberBuffer each : members) {
            if (each.unconsumedCount() > 0) {
                return false;
            }
        }
        return true;
    }

    /** Gives up what is not consumed, because the publisher has left and its drain timeout has expired. */
    private void giveUp() {
        discardAll();
        for (MemberBuffer each : members) {
            discard(each.reader().pendingLength()); // a member that has received END reports nothing more
        }
        logDiscarded("did not consume them before the drain timeout of the publisher, which has left");
        close();
        members.forEach(MemberBuffer::skip);
    }

    /** Discards what no member has received, or has not consumed when it ended. */
    private void discardAll() {
        long length = 0;
        for (long part = reader.next().length(); part > 0; part = reader.next().length()) {
            reader.consume(part);
            length += part;
        }
        lost += length + reader.takeLost();
        for (MemberBuffer each : returned) {
            lost += each.reader().pendingLength() + each.reader().takeLost();
            length += each.reader().pendingLength();
            free(each);
        }
        returned.clear();
        boolean isFirst = length > 0 && discarded == 0 && state == State.DISCARDING;
        discard(length);
        if (isFirst) {
            logDiscarded("has no member that takes messages; further messages are discarded as well");
        }
    }

    private void discard(long length) {
        owner.counts().discarded(length);
        discarded += length;
    }

    private void logDiscarded(String why) {
        if (discarded > 0) {
            LOG.warn(
                    "{} bytes of {} in topic \"{}\" were discarded: group \"{}\" {}",
                    discarded,
                    source.publisher(),
                    source.topic(),
                    key.name(),
                    why);
        }
        discarded = 0;
    }

    private void close() {
        owner.close(this, true);
        state = State.CLOSED;
        reader.close();
        returned.forEach(this::free);
        returned.clear();
        members.forEach(MemberBuffer::endGroup);
        collectEnded();
    }
}

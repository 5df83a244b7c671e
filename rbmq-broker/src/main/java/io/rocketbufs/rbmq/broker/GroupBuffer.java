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
 * One publisher's buffer, as read by a group. Messages are copied, a batch at a time, into the buffer of the member
 * with the fewest unconsumed messages.
 *
 * <pre>
 *                          +--&gt; member 1: m1 m2 m6 ...
 *   publisher's buffer ----+--&gt; member 2: m3 m4 m5 m9 ...
 *     m1 m2 m3 m4 ...      +--&gt; member 3: m7 m8 ...
 * </pre>
 *
 * <p>The copies make members independent of each other. If members read the publisher's memory directly, the oldest
 * unconsumed message of the slowest member would stop all of them, because a circular buffer frees memory in order.
 * With copies, the publisher has to wait (subject to the topic's policy) only while no member can accept more messages.
 *
 * <p>The state depends on the states of the members' buffers:
 *
 * <pre>
 *              no member is awaited           join timeout, or no member may return
 *   SERVING -------------------------&gt; VACANT ---------------------------------&gt; DISCARDING
 *      ^                                  |                                          |
 *      +-- a member joins, or a late member subscribes ---+--------------------------+
 *
 *   any state ---- the publisher has left, and all messages are consumed or its drain timeout expires ---&gt; CLOSED
 *   DISCARDING --- no member's buffer is left -----------------------------------------------------------&gt; CLOSED
 * </pre>
 *
 * <p>Messages that a departed member has not consumed are handed out before new messages. Messages of a departed
 * publisher are handed out until all are consumed or the drain timeout expires. Messages that are discarded while a
 * late member may still subscribe are reported to that member as lost.
 *
 * <p><b>Thread-safety:</b> the publisher's worker unless a method states otherwise. <b>Ownership:</b> owns the reader
 * of the publisher's buffer and the members' buffers.
 */
final class GroupBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(GroupBuffer.class);
    private static final long NEVER = -1;

    private enum State {
        /** The group waits for a member to accept messages. */
        SERVING,
        /** Messages wait for a former member that may return. */
        VACANT,
        /** Messages are discarded because no member is expected to join. */
        DISCARDING,
        /** No more messages are handed out. */
        CLOSED
    }

    /** The result of an attempt to hand out a batch. */
    private enum Step {
        HANDED_OUT,
        NOTHING_LEFT,
        /** No member could accept more messages. */
        BLOCKED
    }

    /** The groups of the broker. */
    interface Owner {
        /** Returns the counters of all groups. */
        GroupCounts counts();

        /**
         * Called when the group is about to stop handing out messages, after which it can no longer be joined.
         *
         * @param isForced false if the group must continue when a member has joined in the meantime
         * @return false if the group continues
         */
        boolean close(GroupBuffer group, boolean isForced);

        /** Called when a member's buffer has been removed. */
        void onGone(MemberBuffer member);

        /** Called when the group is closed and all its members' buffers have been removed. */
        void onGone(GroupBuffer group);
    }

    private final GroupKey key;
    private final GroupSource source;
    private final ROut out;
    private final LocalReader reader;
    private final int batchLimit;
    private final MessageBatch batch;
    private final Owner owner;
    /** The members. A member is added while the owner's lock is held, and removed by the publisher's worker. */
    private final List<MemberBuffer> members = new CopyOnWriteArrayList<>();
    /** The buffers of ended members that still contain messages for other members. */
    private final Queue<MemberBuffer> returned = new ArrayDeque<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private State state = State.SERVING;
    /** True unless the member that left most recently has unsubscribed. */
    private boolean mayReturn = true;
    /** Time at which the group became vacant. */
    private long vacantNs;
    /** Time at which the publisher's buffer ended; NEVER until then. */
    private long endedNs = NEVER;
    /** Time since which the publisher has been waiting for this group; NEVER if it is not waiting. */
    private long waitingNs = NEVER;

    private int last;
    private long lost;
    /** Number of discarded bytes that have not been logged yet. */
    private long discarded;
    /** True while messages wait because no member can accept them. */
    private volatile boolean blocked;
    /** True while {@link #check} has work to do. */
    private volatile boolean needsCheck = true;

    /**
     * Creates a reader of a publisher's buffer that starts with the next message. Any thread.
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

    // Methods called while the owner's lock is held.

    /** Adds a member and returns its buffer. From then on, the group waits for the member. */
    MemberBuffer add(int id, GroupMember member) {
        MemberBuffer added = new MemberBuffer(out, id, source, member, batchLimit, this::wake);
        out.setOrigin(id, reader, () -> blocked);
        members.add(added);
        wake();
        return added;
    }

    /** Returns true if there are members, or buffers of former members. */
    boolean hasMembers() {
        return !members.isEmpty();
    }

    // Methods that any thread may call.

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

    /** Runs a task on the publisher's worker and then hands out messages. */
    void execute(Runnable task) {
        source.publisher().execute(() -> {
            task.run();
            handOut();
        });
    }

    /**
     * Called when a member has left the group.
     *
     * @param canReturn true if the member may rejoin because it left by losing its connection
     */
    void leave(MemberBuffer member, boolean canReturn) {
        execute(() -> {
            mayReturn = member.isLate() ? mayReturn : canReturn;
            member.leave();
        });
    }

    /** Called when the publisher's buffer will receive no more data. The remaining messages are still handed out. */
    void onEnd() {
        execute(() -> {
            if (endedNs == NEVER) {
                endedNs = System.nanoTime();
            }
        });
    }

    /** Schedules the handing out of messages on the publisher's worker. */
    void wake() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            source.publisher().execute(this::handOut);
        }
    }

    /** Applies timeouts. Called periodically. */
    void check() {
        if (needsCheck) {
            wake();
        }
    }

    // Methods that run on the publisher's worker.

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
        blocked = step == Step.BLOCKED; // assigned only once, because other threads read it at any time
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
        lost += messages.takeLost(); // includes bytes whose loss may not have been reported to an ended member
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
            return Step.HANDED_OUT; // the next step may choose a member that has space
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
     * Returns the member with the fewest unconsumed messages, in rotation among equals; null if no member can accept
     * messages.
     */
    private MemberBuffer choose() {
        MemberBuffer chosen = null;
        int count = members.size(); // other threads can only add members
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
     * Disconnects the publisher. Messages that members have already received are unaffected: they are consumed, or
     * redelivered to another member.
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

    /** While the publisher waits, disconnects the members that have stopped consuming messages. */
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

    /** Discards all unconsumed messages, because the publisher has left and its drain timeout has expired. */
    private void giveUp() {
        discardAll();
        for (MemberBuffer each : members) {
            discard(each.reader().pendingLength()); // a member that has received END reports no further consumption
        }
        logDiscarded("did not consume them before the drain timeout of the publisher, which has left");
        close();
        members.forEach(MemberBuffer::skip);
    }

    /** Discards the messages that no member has received and those that ended members have not consumed. */
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

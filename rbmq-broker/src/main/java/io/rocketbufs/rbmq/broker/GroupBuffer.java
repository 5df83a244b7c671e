package io.rocketbufs.rbmq.broker;

import io.rocketbufs.LocalReader;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
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
 * <p>What an ended member has not consumed comes before new messages. The messages of a publisher that has left are
 * handed out until all are consumed, or its drain timeout expires.
 *
 * <p><b>Thread-safety:</b> the publisher's worker, unless a method states otherwise. <b>Ownership:</b> owns the reader
 * of the publisher's buffer and the members' buffers.
 */
final class GroupBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(GroupBuffer.class);

    private enum State {
        /** The group has members, or expects some. */
        SERVING,
        /** The group has no members. */
        DESERTED,
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

    private final String name;
    private final GroupSource source;
    private final LocalReader reader;
    private final ROut out;
    private final int batchLimit;
    private final MessageBatch batch;
    private final GroupCounts counts;
    private final Consumer<MemberBuffer> onGone;
    private final Consumer<GroupBuffer> onClosed;
    private final List<MemberBuffer> members = new ArrayList<>();
    /** The buffers of ended members with messages for others. */
    private final Queue<MemberBuffer> returned = new ArrayDeque<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private State state = State.SERVING;
    private int last;
    private long lost;
    /** True while messages wait because no member can take them. */
    private volatile boolean blocked;

    /** Number of members; under the lock of {@link Topics}. */
    private int memberCount;

    /**
     * Creates the reader of a publisher's buffer that begins with the next message. Any thread.
     *
     * @param name the group, for log lines
     * @param batchLimit maximum number of messages that a member receives at a time
     * @param onGone called with each buffer of a member that is gone
     * @param onClosed called with this object when nothing further is handed out
     */
    GroupBuffer(
            ROut out,
            String name,
            GroupSource source,
            LocalReader reader,
            int batchLimit,
            GroupCounts counts,
            Consumer<MemberBuffer> onGone,
            Consumer<GroupBuffer> onClosed) {
        this.out = out;
        this.name = name;
        this.source = source;
        this.reader = reader;
        this.batchLimit = batchLimit;
        this.batch = new MessageBatch(batchLimit);
        this.counts = counts;
        this.onGone = onGone;
        this.onClosed = onClosed;
    }

    // Under the lock of Topics.

    /** Changes and returns the number of members. */
    int countMembers(int change) {
        memberCount += change;
        return memberCount;
    }

    // Any thread.

    /** Returns the publisher's buffer. */
    GroupSource source() {
        return source;
    }

    /** Returns the maximum number of messages that a member receives at a time. */
    int batchLimit() {
        return batchLimit;
    }

    /** Records that a member's buffer receives what this group reads, so that the member can delay the publisher. */
    void feeds(int memberBufferId) {
        out.setOrigin(memberBufferId, reader, () -> blocked);
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

    /** Lets the publisher's worker hand out messages soon. */
    void wake() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            source.publisher().execute(this::handOut);
        }
    }

    /** Lets the publisher's worker disconnect the members that have consumed nothing for too long, if messages wait. */
    void checkStalled() {
        long limitMs = source.rule().memberTimeoutMs();
        if (blocked && limitMs > 0) {
            execute(() -> disconnectStalled(limitMs));
        }
    }

    private void disconnectStalled(long limitMs) {
        for (MemberBuffer each : members) {
            long stalledMs = TimeUnit.NANOSECONDS.toMillis(each.stalledNs());
            if (blocked && !each.isEnded() && stalledMs >= limitMs) {
                each.disconnect("subscription to topic \"" + source.topic() + "\" in group \"" + name
                        + "\" consumed nothing for " + stalledMs + " ms while messages waited for the group");
            }
        }
    }

    // The publisher's worker.

    void add(MemberBuffer member) {
        members.add(member);
    }

    /** Called when the last member has left, and no other is expected. */
    void desert() {
        state = state == State.CLOSED ? state : State.DESERTED;
    }

    /** Gives up what has not been handed out, because the publisher has left and its drain timeout has expired. */
    void giveUp() {
        if (state != State.CLOSED) {
            long length = waitingLength();
            if (length > 0) {
                discard(length, "did not consume them before the drain timeout of the publisher, which has left");
            }
            close();
        }
    }

    private void handOut() {
        scheduled.set(false);
        members.forEach(MemberBuffer::update);
        collectEnded();
        Step step = Step.HANDED_OUT;
        while (step == Step.HANDED_OUT && state == State.SERVING) {
            step = handOutSome();
        }
        blocked = step == Step.BLOCKED && state == State.SERVING; // changes once, because others read it at any time
        endIfDone();
    }

    private void collectEnded() {
        for (Iterator<MemberBuffer> each = members.iterator(); each.hasNext(); ) {
            MemberBuffer member = each.next();
            if (member.isEnded()) {
                each.remove();
                if (member.reader().pendingLength() > 0 && state != State.CLOSED) {
                    counts.redelivered(member.unconsumedCount());
                    returned.add(member);
                } else {
                    free(member);
                }
            }
        }
    }

    private void free(MemberBuffer member) {
        member.close();
        onGone.accept(member);
    }

    /** Hands out one batch. */
    private Step handOutSome() {
        MemberBuffer from = returned.peek();
        LocalReader messages = from == null ? reader : from.reader();
        Segment data = messages.next();
        if (from == null) {
            lost += reader.takeLost();
        }
        if (data.length() == 0) {
            return Step.NOTHING_LEFT;
        }
        MemberBuffer to = choose();
        if (to == null) {
            return Step.BLOCKED;
        }
        if (!batch.find(data, to.room(), source.entry().capacity() / 4)) {
            onMalformed(data);
            return Step.NOTHING_LEFT;
        }
        if (from != null) {
            batch.mark(source.entry().capacity());
        }
        if (!to.give(batch, from == null ? lost : 0)) {
            return Step.HANDED_OUT; // another member may have space
        }
        messages.consume(batch.length());
        if (from == null) {
            lost = 0;
        } else if (messages.pendingLength() == 0) {
            free(returned.remove());
        }
        return Step.HANDED_OUT;
    }

    /**
     * Returns the member with the fewest unconsumed messages, in turn if several have as few; null if none can take
     * any.
     */
    private MemberBuffer choose() {
        MemberBuffer chosen = null;
        int index = last;
        for (int i = 0; i < members.size(); i++) {
            index = index + 1 < members.size() ? index + 1 : 0;
            MemberBuffer each = members.get(index);
            if (each.isTaking() && (chosen == null || each.unconsumedByMember() < chosen.unconsumedByMember())) {
                chosen = each;
                last = index;
            }
        }
        return chosen;
    }

    private void onMalformed(Segment data) {
        String what = "a message of buffer " + source.bufferId() + " of topic \"" + source.topic()
                + "\" is malformed: its length exceeds the " + data.length() + " bytes of its delivery";
        LOG.warn("{}: {}; it is disconnected, because group \"{}\" cannot continue", source.publisher(), what, name);
        counts.malformed();
        source.publisher().close(what);
        close();
    }

    private void endIfDone() {
        boolean isEmpty = reader.pendingLength() == 0 && returned.isEmpty();
        if (state == State.SERVING && isEmpty && reader.isAtEnd()) {
            reader.close();
            if (members.stream().allMatch(each -> each.unconsumedCount() == 0)) {
                close();
                collectEnded(); // those that have not subscribed
            }
        } else if (state == State.DESERTED && members.isEmpty()) {
            long length = waitingLength();
            if (length > 0) {
                discard(length, "no longer has members");
            }
            close();
        }
    }

    private long waitingLength() {
        return reader.pendingLength()
                + returned.stream()
                        .mapToLong(each -> each.reader().pendingLength())
                        .sum();
    }

    private void discard(long length, String why) {
        counts.discarded(length);
        LOG.warn(
                "{} bytes of {} in topic \"{}\" were discarded: group \"{}\" {}",
                length,
                source.publisher(),
                source.topic(),
                name,
                why);
    }

    private void close() {
        state = State.CLOSED;
        reader.close();
        returned.forEach(this::free);
        returned.clear();
        members.forEach(MemberBuffer::remove);
        onClosed.accept(this);
    }
}

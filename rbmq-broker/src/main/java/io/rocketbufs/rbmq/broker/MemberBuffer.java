package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.LocalReader;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.concurrent.TimeUnit;

/**
 * The buffer in which one member of a group receives its share of one publisher's messages. It keeps the messages until
 * the member has consumed them, so that another member can receive them if this one is lost.
 *
 * <pre>
 *            join timeout
 *   ASKED ------------------&gt; LATE
 *     |  \                   /  |
 *     |   +----&gt; OPEN &lt;-----+   |       subscribes
 *     |          |   \          |
 *     |          |    v         |       leaves, or the group ends
 *     |          |   LEAVING    |
 *     |          |      |       |       leaves, or its subscription ends
 *     +----------+------+-------+----&gt; ENDED --all is passed on--&gt; REMOVED
 * </pre>
 *
 * <p>The group waits for members that are ASKED or OPEN, and only an OPEN one receives messages. A LATE one becomes
 * OPEN when it subscribes after all. A LEAVING one that keeps its subscription receives END after the drain timeout,
 * and is disconnected when that timeout has passed a second time.
 *
 * <p>After each batch, the member is asked to report that it has consumed it. A report inside of a message counts up to
 * the message's beginning.
 *
 * <p><b>Thread-safety:</b> the worker of the publisher, unless a method states otherwise. <b>Ownership:</b> owns the
 * buffer in the broker's output.
 */
final class MemberBuffer {
    private enum State {
        ASKED,
        LATE,
        OPEN,
        LEAVING,
        ENDED,
        REMOVED
    }

    private final ROut out;
    private final int id;
    private final GroupSource source;
    private final GroupMember member;
    private final LocalReader reader;
    private final Runnable onConsumed;
    /** Where the unconsumed messages end, oldest first: a ring. */
    private final long[] ends;

    private final long[] copyEnds;
    private int first;
    private int count;
    private long delivered;
    /** Written by the worker. */
    private volatile State state = State.ASKED;
    /** When a state with a timeout began, or the last timeout expired. */
    private long sinceNs = System.nanoTime();
    /** True when the output has no such buffer for further subscriptions, and sends END to the existing one. */
    private boolean isOutputEnded;
    /** True when bytes are missing somewhere in the buffer. */
    private boolean hasGaps;
    /** True after a refusal for lack of space, until the member has consumed something. */
    private boolean full;
    /** When this member last consumed something, or had nothing to consume. */
    private long progressNs = sinceNs;

    /**
     * Creates the buffer. Any thread.
     *
     * @param source the publisher's buffer, which has the same capacity
     * @param batch maximum number of messages given at a time; twice as many can be unconsumed
     * @param onConsumed run on any thread when the member may have consumed messages
     * @throws io.rocketbufs.memory.MemoryException when there is no memory for the buffer
     */
    MemberBuffer(ROut out, int id, GroupSource source, GroupMember member, int batch, Runnable onConsumed) {
        this.out = out;
        this.id = id;
        this.source = source;
        this.member = member;
        this.onConsumed = onConsumed;
        this.ends = new long[2 * batch];
        this.copyEnds = new long[batch];
        out.createBuffer(id, source.entry().capacity(), source.rule().memberOptions());
        this.reader = out.openReader(id, false);
    }

    // Any thread.

    /** Returns the broker's id for the buffer. */
    int id() {
        return id;
    }

    /** Returns the publisher's buffer. */
    GroupSource source() {
        return source;
    }

    /** Returns the membership that this buffer is a share of. */
    GroupMember member() {
        return member;
    }

    /** Returns the description that the member receives. */
    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(
                id, source.entry().publisher(), source.entry().capacity());
    }

    /** Returns true when a connection may subscribe: that of the member, which has not done so yet. */
    boolean admits(Connection subscriber) {
        State now = state;
        return subscriber == member.subscriber().connection() && (now == State.ASKED || now == State.LATE);
    }

    /** Returns the number of messages, of all publishers, that the member is not known to have consumed. */
    int unconsumedByMember() {
        return member.unconsumedCount().get();
    }

    // The publisher's worker.

    /** Called when the member has subscribed. */
    void open() {
        if (state == State.ASKED || state == State.LATE) {
            state = State.OPEN;
        }
    }

    /** Called when the member's subscription has ended. */
    void end() {
        if (state != State.ENDED && state != State.REMOVED) {
            release();
            state = State.ENDED;
            member.unconsumedCount().addAndGet(-count);
        }
    }

    /** Called when the member has left the group. It still reports what it has consumed until its subscription ends. */
    void leave() {
        if (state == State.OPEN) {
            state = State.LEAVING;
            sinceNs = System.nanoTime();
        } else if (state != State.LEAVING) {
            end();
        }
    }

    /** Called when the group ends: the member receives what is in this buffer, and then END. */
    void endGroup() {
        leave();
        endOutput();
    }

    /** Lets the member skip what it has not received. */
    void skip() {
        out.skip(id);
    }

    /** Returns true when the group waits for this member to take messages. */
    boolean isAwaited() {
        return state == State.ASKED || state == State.OPEN;
    }

    /** Returns true when the member has not subscribed within the join timeout. */
    boolean isLate() {
        return state == State.LATE;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Returns true while a timeout runs, so that {@link #update} must be called from time to time. */
    boolean hasTimeout() {
        return state == State.ASKED || state == State.LEAVING;
    }

    /** Returns true when the member can receive messages. */
    boolean isTaking() {
        return state == State.OPEN
                && !full
                && count < ends.length
                && member.subscriber().connection().isOpen();
    }

    /** Returns the number of messages that can be given at a time now. */
    int room() {
        return Math.min(copyEnds.length, ends.length - count);
    }

    /** Returns the number of unconsumed messages in this buffer. */
    int unconsumedCount() {
        return count;
    }

    /** Records what the member has consumed, releases its memory, and applies the timeouts. */
    void update(long nowNs) {
        if (state == State.OPEN || state == State.LEAVING) {
            if (release() || count == 0) {
                full = false;
                progressNs = nowNs;
            }
        }
        long elapsedMs = TimeUnit.NANOSECONDS.toMillis(nowNs - sinceNs);
        if (state == State.ASKED && elapsedMs >= source.rule().joinTimeoutMs()) {
            state = State.LATE;
        } else if (state == State.LEAVING && elapsedMs >= source.rule().drainTimeoutMs()) {
            sinceNs = nowNs;
            endLeaving();
        }
    }

    /** Called when a member that has left keeps its subscription for too long: others could receive the messages. */
    private void endLeaving() {
        if (isOutputEnded) {
            disconnect("subscription to buffer " + id + " of topic \"" + source.topic() + "\" did not end within "
                    + source.rule().drainTimeoutMs() + " ms after the end of the buffer");
        }
        endOutput();
        skip();
    }

    /** Returns true when the member has consumed messages. */
    private boolean release() {
        long consumed = reader.consumedBySubscribers();
        int before = count;
        long end = reader.position();
        while (count > 0 && ends[first] <= consumed) {
            end = ends[first];
            if (hasGaps) { // one by one, because only the gaps before consumed messages are known to the member
                reader.takeLost();
                reader.consume(end - reader.position());
            }
            first = first + 1 == ends.length ? 0 : first + 1;
            count--;
        }
        if (before == count) {
            return false;
        }
        reader.consume(end - reader.position());
        member.unconsumedCount().addAndGet(count - before);
        return true;
    }

    /**
     * Returns for how long the member has had messages and not consumed any.
     *
     * @param sinceNs the time before that does not count
     */
    long stalledNs(long sinceNs, long nowNs) {
        return state == State.OPEN && count > 0 ? nowNs - Math.max(progressNs, sinceNs) : 0;
    }

    /** Asks the member to report when it has consumed its oldest message, before the rest of the batch. */
    void requestProgress() {
        if (state == State.OPEN && count > 0) {
            reader.requestReport(ends[first]);
        }
    }

    /**
     * Gives messages to the member.
     *
     * @param lost number of bytes that are missing before them
     * @return false when there is no space before the member has consumed others; until then, it takes none
     */
    boolean give(MessageBatch batch, long lost) {
        Segment to = out.getOutputSegment(id, batch.copyLength(), false);
        if (to.vecCount() < 0) {
            full = true;
            return false;
        }
        batch.copyTo(to, copyEnds);
        if (count == 0) {
            progressNs = System.nanoTime();
        }
        for (int i = 0; i < batch.count(); i++) {
            ends[(first + count++) % ends.length] = delivered + copyEnds[i];
        }
        delivered += batch.copyLength();
        member.unconsumedCount().addAndGet(batch.count());
        if (lost > 0) {
            hasGaps = true;
            out.addGap(id, lost);
        }
        out.deliver(to, batch.copyLength());
        out.flush(id).whenComplete((ok, failure) -> onConsumed.run());
        return true;
    }

    /** Returns the reader of the messages that the member has not consumed. */
    LocalReader reader() {
        return reader;
    }

    /** Disconnects the member. */
    void disconnect(String reason) {
        member.subscriber().connection().close(reason);
    }

    private void endOutput() {
        if (!isOutputEnded) {
            isOutputEnded = true;
            out.removeBuffer(id);
        }
    }

    /** Called when the messages that an ended member had not consumed have been passed on. Releases the memory. */
    void remove() {
        state = State.REMOVED;
        endOutput();
        reader.close();
    }
}

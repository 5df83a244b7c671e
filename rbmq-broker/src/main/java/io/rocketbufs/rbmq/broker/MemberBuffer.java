package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.LocalReader;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.concurrent.TimeUnit;

/**
 * The buffer in which one member of a group receives its share of one publisher's messages. It keeps the messages until
 * the member has consumed them, so that another member can receive them if this member is lost.
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
 *     +----------+------+-------+----&gt; ENDED --all messages are passed on--&gt; REMOVED
 * </pre>
 *
 * <p>The group waits for members that are ASKED or OPEN, but only an OPEN member receives messages. A LATE member
 * becomes OPEN if it eventually subscribes. A LEAVING member that keeps its subscription receives END after the drain
 * timeout, and is disconnected after the timeout has elapsed a second time.
 *
 * <p>After each batch, the member is asked to report when it has consumed the batch. A reported position inside a
 * message counts only the messages before that message.
 *
 * <p><b>Thread-safety:</b> the publisher's worker unless a method states otherwise. <b>Ownership:</b> owns the buffer
 * in the broker's output.
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
    /** The end positions of the unconsumed messages, oldest first, stored circularly. */
    private final long[] ends;

    private final long[] copyEnds;
    private int first;
    private int count;
    private long delivered;
    /** Written by the publisher's worker. */
    private volatile State state = State.ASKED;
    /** Time at which the current state with a timeout began, or at which the last timeout expired. */
    private long sinceNs = System.nanoTime();
    /** True when the output accepts no further subscription to the buffer and sends END to the existing one. */
    private boolean isOutputEnded;
    /** True when there is at least one gap in the buffer, where bytes are missing. */
    private boolean hasGaps;
    /** True after a batch was refused for lack of space, until the member has consumed messages. */
    private boolean full;
    /** Time at which this member last consumed messages or last had none to consume. */
    private long progressNs = sinceNs;

    /**
     * Creates the buffer. Any thread.
     *
     * @param source the publisher's buffer; the new buffer has the same capacity
     * @param batch maximum number of messages handed out at a time; up to twice as many can be unconsumed
     * @param onConsumed runs on any thread when the member may have consumed messages
     * @throws io.rocketbufs.memory.MemoryException if there is no memory for the buffer
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

    // Methods that any thread may call.

    /** Returns the broker's id for the buffer. */
    int id() {
        return id;
    }

    /** Returns the publisher's buffer. */
    GroupSource source() {
        return source;
    }

    /** Returns the group membership to which this buffer belongs. */
    GroupMember member() {
        return member;
    }

    /** Returns the description of the buffer that the member receives. */
    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(
                id, source.entry().publisher(), source.entry().capacity());
    }

    /**
     * Returns true if a connection may subscribe to the buffer: it is the member's connection, and the member has not
     * subscribed yet.
     */
    boolean admits(Connection subscriber) {
        State now = state;
        return subscriber == member.subscriber().connection() && (now == State.ASKED || now == State.LATE);
    }

    /** Returns the number of messages from all publishers that the member is not known to have consumed. */
    int unconsumedByMember() {
        return member.unconsumedCount().get();
    }

    // Methods that run on the publisher's worker.

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

    /**
     * Called when the member has left the group. Until its subscription ends, the member still reports which messages
     * it has consumed.
     */
    void leave() {
        if (state == State.OPEN) {
            state = State.LEAVING;
            sinceNs = System.nanoTime();
        } else if (state != State.LEAVING) {
            end();
        }
    }

    /** Called when the group ends. The member still receives the messages in this buffer, followed by END. */
    void endGroup() {
        leave();
        endOutput();
    }

    /** Makes the member skip the messages that it has not received. */
    void skip() {
        out.skip(id);
    }

    /** Returns true if the group waits for this member to accept messages. */
    boolean isAwaited() {
        return state == State.ASKED || state == State.OPEN;
    }

    /** Returns true if the member has not subscribed within the join timeout. */
    boolean isLate() {
        return state == State.LATE;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Returns true while a timeout is running, in which case {@link #update} must be called periodically. */
    boolean hasTimeout() {
        return state == State.ASKED || state == State.LEAVING;
    }

    /** Returns true if the member can receive messages. */
    boolean isTaking() {
        return state == State.OPEN
                && !full
                && count < ends.length
                && member.subscriber().connection().isOpen();
    }

    /** Returns the number of messages that the member can currently be given. */
    int room() {
        return Math.min(copyEnds.length, ends.length - count);
    }

    /** Returns the number of unconsumed messages in this buffer. */
    int unconsumedCount() {
        return count;
    }

    /** Records which messages the member has consumed, releases their memory, and applies the timeouts. */
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

    /**
     * Called when a departed member keeps its subscription for too long, which prevents other members from receiving
     * its messages.
     */
    private void endLeaving() {
        if (isOutputEnded) {
            disconnect("subscription to buffer " + id + " of topic \"" + source.topic() + "\" did not end within "
                    + source.rule().drainTimeoutMs() + " ms after the end of the buffer");
        }
        endOutput();
        skip();
    }

    /** Releases consumed messages; returns true if there were any. */
    private boolean release() {
        long consumed = reader.consumedBySubscribers();
        int before = count;
        long end = reader.position();
        while (count > 0 && ends[first] <= consumed) {
            end = ends[first];
            if (hasGaps) { // one by one, because the member has seen only the gaps before consumed messages
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
     * Returns for how many nanoseconds the member has had messages without consuming any.
     *
     * @param sinceNs start of the measured period; earlier time does not count
     */
    long stalledNs(long sinceNs, long nowNs) {
        return state == State.OPEN && count > 0 ? nowNs - Math.max(progressNs, sinceNs) : 0;
    }

    /**
     * Asks the member to report as soon as it has consumed its oldest message, without waiting for the rest of the
     * batch.
     */
    void requestProgress() {
        if (state == State.OPEN && count > 0) {
            reader.requestReport(ends[first]);
        }
    }

    /**
     * Copies a batch of messages into the member's buffer.
     *
     * @param lost number of bytes that are missing before the batch
     * @return false if there is no space; the member then accepts no messages until it has consumed some of those in
     *     its buffer
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

    /** Disconnects the member for the given reason. */
    void disconnect(String reason) {
        member.subscriber().connection().close(reason);
    }

    private void endOutput() {
        if (!isOutputEnded) {
            isOutputEnded = true;
            out.removeBuffer(id);
        }
    }

    /** Releases the memory. Called when all messages that an ended member had not consumed have been passed on. */
    void remove() {
        state = State.REMOVED;
        endOutput();
        reader.close();
    }
}

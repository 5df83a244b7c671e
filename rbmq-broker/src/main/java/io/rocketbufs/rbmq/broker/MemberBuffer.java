package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.LocalReader;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The buffer in which one member of a group receives its share of one publisher's messages. It keeps the messages until
 * the member has consumed them, so that another member can receive them if this one is lost.
 *
 * <pre>
 *   ASKED ---the member subscribes---&gt; OPEN ---its subscription ends---&gt; ENDED ---all is passed on---&gt; gone
 *     |                                                                    ^
 *     +------------the member leaves before it subscribes------------------+
 * </pre>
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
        OPEN,
        ENDED
    }

    private final ROut out;
    private final int id;
    private final int publisher;
    private final long capacity;
    private final Connection connection;
    private final AtomicInteger unconsumedByMember;
    private final LocalReader reader;
    private final Runnable onConsumed;
    private final AtomicBoolean claimed = new AtomicBoolean();
    /** Where the unconsumed messages end, oldest first: a ring. */
    private final long[] ends;

    private final long[] copyEnds;
    private int first;
    private int count;
    private long delivered;
    private State state = State.ASKED;
    private boolean leaving;
    private boolean removed;
    /** True after a refusal for lack of space, until the member has consumed something. */
    private boolean full;
    /** When this member last consumed something, or had nothing to consume. */
    private long progressNs = System.nanoTime();

    /**
     * Creates the buffer. Any thread.
     *
     * @param source description of the publisher's buffer; the capacity of this one is the same
     * @param connection the member's connection
     * @param unconsumedByMember number of unconsumed messages in all buffers of the member
     * @param batch maximum number of messages given at a time; twice as many can be unconsumed
     * @param onConsumed run on any thread when the member may have consumed messages
     */
    MemberBuffer(
            ROut out,
            int id,
            BuffersLayout.Entry source,
            BufferOptions options,
            Connection connection,
            AtomicInteger unconsumedByMember,
            int batch,
            Runnable onConsumed) {
        this.out = out;
        this.id = id;
        this.publisher = source.publisher();
        this.capacity = source.capacity();
        this.connection = connection;
        this.unconsumedByMember = unconsumedByMember;
        this.onConsumed = onConsumed;
        this.ends = new long[2 * batch];
        this.copyEnds = new long[batch];
        out.createBuffer(id, capacity, options);
        this.reader = out.openReader(id, false);
    }

    /** Returns the broker's id for the buffer. Any thread. */
    int id() {
        return id;
    }

    /** Returns the description that the member receives. Any thread. */
    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(id, publisher, capacity);
    }

    /** Returns true once: when the member subscribes over its connection. Any thread. */
    boolean admits(Connection subscriber) {
        return subscriber == connection && claimed.compareAndSet(false, true);
    }

    /** Returns the number of messages, of all publishers, that the member is not known to have consumed. */
    int unconsumedByMember() {
        return unconsumedByMember.get();
    }

    /** Called when the member has subscribed. */
    void open() {
        if (state == State.ASKED) {
            state = State.OPEN;
        }
    }

    /** Called when the member's subscription has ended. */
    void end() {
        if (state != State.ENDED) {
            update();
            state = State.ENDED;
            unconsumedByMember.addAndGet(-count);
        }
    }

    /** Called when the member has left the group. It still reports what it has consumed until its subscription ends. */
    void leave() {
        leaving = true;
        if (state == State.ASKED) {
            end();
        }
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Returns true when the member can receive messages. */
    boolean isTaking() {
        return state == State.OPEN && !leaving && !removed && !full && count < ends.length && connection.isOpen();
    }

    /** Returns the number of messages that can be given at a time now. */
    int room() {
        return Math.min(copyEnds.length, ends.length - count);
    }

    /** Returns the number of unconsumed messages in this buffer. */
    int unconsumedCount() {
        return count;
    }

    /** Notes what the member has consumed, and releases its memory. */
    void update() {
        long consumed = reader.consumedBySubscribers();
        int before = count;
        long end = reader.position();
        while (count > 0 && ends[first] <= consumed) {
            end = ends[first];
            first = first + 1 == ends.length ? 0 : first + 1;
            count--;
        }
        if (before > count) {
            reader.consume(end - reader.position());
            unconsumedByMember.addAndGet(count - before);
            full = false;
        }
        if (before > count || count == 0) {
            progressNs = System.nanoTime();
        }
    }

    /** Returns for how long the member has had messages and not consumed any. */
    long stalledNs() {
        return count == 0 ? 0 : System.nanoTime() - progressNs;
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
        unconsumedByMember.addAndGet(batch.count());
        if (lost > 0) {
            out.addGap(id, lost);
        }
        out.deliver(to, batch.copyLength());
        out.flush(id).whenComplete((ok, failure) -> onConsumed.run());
        return true;
    }

    /** Returns the reader of what the member has not consumed. */
    LocalReader reader() {
        return reader;
    }

    /** Disconnects the member. */
    void disconnect(String reason) {
        connection.close(reason);
    }

    /** Ends this buffer: the member receives what is in it, and then its end. */
    void remove() {
        if (!removed) {
            removed = true;
            out.removeBuffer(id);
        }
        if (state == State.ASKED) {
            end(); // the member is refused when it subscribes
        }
    }

    /** Removes this buffer, and releases its memory. */
    void close() {
        remove();
        reader.close();
    }
}

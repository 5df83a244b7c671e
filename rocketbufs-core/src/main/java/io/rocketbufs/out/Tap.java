package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A reader, in this process, of one buffer. Like an expected subscription, it keeps the data after its position, and it
 * remains open after the end of the buffer until it is closed.
 *
 * <p>A tap also follows the consumed positions of the buffer's subscriptions, including ended ones. The owner of a tap
 * can therefore read the data that an ended subscription had not consumed.
 *
 * <p><b>Thread-safety:</b> the buffer's producing thread reads, consumes and closes. Any thread may open a tap, and
 * read its position and the subscriptions' consumed position.
 */
public final class Tap extends Expected {
    private final Fanout fanout;
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    private final boolean skips;
    /** Number of bytes lost upstream that {@link #takeLost()} has returned. */
    private long gapsSeen;
    /** Number of bytes skipped since the last call of {@link #takeLost()} because the producer needed their memory. */
    private long skipped;
    /** The lowest consumed position of the subscriptions that have ended. */
    private volatile long leftAt = Long.MAX_VALUE;

    private volatile boolean closed;
    /** The tasks that run when the producer has begun to wait for this tap. */
    private final List<Runnable> delayTasks = new CopyOnWriteArrayList<>();

    /**
     * Creates a tap that keeps the data at and after {@code position}, until {@link #keepFrom} sets the final position.
     */
    private Tap(Fanout fanout, long position, boolean skips) {
        super(fanout, fanout.log(), null, position);
        this.fanout = fanout;
        this.skips = skips;
    }

    /**
     * Opens a tap that begins with the next delivery.
     *
     * @param skips true to skip to the end when the producer needs the memory, instead of making the producer wait
     */
    public static Tap open(Fanout fanout, boolean skips) {
        return fanout.enter(position -> new Tap(fanout, position, skips));
    }

    @Override
    void keepFrom(long first) {
        super.keepFrom(first);
        log.seek(cursor, first);
        gapsSeen = log.gapsBefore(first, 0);
    }

    // A tap belongs to no connection, and does not end with the buffer.

    @Override
    boolean isOf(Link other) {
        return false;
    }

    @Override
    boolean isOfOneConnection() {
        return true;
    }

    @Override
    boolean yields() {
        return skips;
    }

    /** Returns false: a tap reads deliveries of any length. */
    @Override
    boolean limitsMerging() {
        return false;
    }

    /** Returns a position beyond all others, because nothing is kept for later subscriptions. */
    @Override
    long held() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns a position at which no subscription begins, because a tap's position need not lie between two deliveries.
     */
    @Override
    long boundary() {
        return Long.MAX_VALUE;
    }

    /** Returns a position that never makes a flush wait, because flushes concern only subscriptions. */
    @Override
    long consumed() {
        return Long.MAX_VALUE;
    }

    /** Skips to the end, because the producer needs the memory. Called on the producing thread. */
    @Override
    void keepNothing() {
        long end = visibleEnd();
        skipped += end - cursor.position();
        log.seek(cursor, end);
        moveTo(end);
    }

    @Override
    void left(long consumedPosition) {
        leftAt = Math.min(leftAt, consumedPosition);
    }

    // Any thread.

    /** Returns the memory that contains the data. */
    public CircularBuffer memory() {
        return fanout.memory();
    }

    /** Returns the log position of the next byte. */
    public long nextPosition() {
        return position();
    }

    /**
     * Returns the log position up to which all subscriptions, including ended ones, have consumed data; this tap's
     * position if there has been no subscription.
     */
    public long consumedBySubscriptions() {
        // The subscriptions are read first, because a subscription that ends is recorded before it is removed.
        long consumed = Math.min(Slowest.consumed(fanout.subscriptions(), Long.MAX_VALUE), leftAt);
        return consumed == Long.MAX_VALUE ? position() : consumed;
    }

    /** Returns true if this tap is closed, or the buffer has ended and this tap has reached its end. */
    public boolean isAtEnd() {
        return closed || fanout.isEnded() && position() >= fanout.endPosition();
    }

    /** Returns the buffer that this tap reads. */
    Fanout fanout() {
        return fanout;
    }

    /** Returns true if the producer needs memory that this tap keeps. */
    public boolean isInTheWay() {
        return !closed && !fanout.isEnded() && position() < fanout.demand().position();
    }

    /** Returns the number of bytes between this tap's position and the end; 0 if this tap is closed. */
    public long pendingLength() {
        return closed ? 0 : visibleEnd() - position();
    }

    void addDelayTask(Runnable task) {
        delayTasks.add(task);
    }

    void removeDelayTask(Runnable task) {
        delayTasks.remove(task);
    }

    @Override
    void onProducerWaits() {
        if (isInTheWay()) {
            delayTasks.forEach(Runnable::run);
        }
    }

    /** Requests a report from each subscription when it has consumed the data before a log position. */
    public void requestReport(long position) {
        for (Subscription each : fanout.subscriptions()) {
            if (each.flush().awaitReport(position, each.consumed())) {
                each.look();
                each.link().sender().sendReady();
            }
        }
    }

    private long visibleEnd() {
        return Math.min(log.visibleEnd(), fanout.endPosition());
    }

    // The producing thread.

    /**
     * Returns the number of bytes that can be read at {@link #localPosition()}: one or more whole deliveries, or their
     * unread part; 0 if there is nothing to read.
     */
    public long readableLength() {
        if (closed || cursor.position() >= fanout.endPosition() || !log.hasMore(cursor)) {
            return 0;
        }
        return Math.min(log.logEnd(cursor.record()), fanout.endPosition()) - cursor.position();
    }

    /** Returns the position of the next byte in the memory; valid while {@link #readableLength()} is positive. */
    public long localPosition() {
        return log.localPosition(cursor);
    }

    /**
     * Returns the number of bytes missing immediately before the next byte, without those returned by earlier calls.
     */
    public long takeLost() {
        long gaps = log.gapsBefore(cursor.position(), gapsSeen);
        long lost = skipped + gaps - gapsSeen;
        gapsSeen = gaps;
        skipped = 0;
        return lost;
    }

    /** Advances by {@code length} bytes and releases their memory. */
    public void consume(long length) {
        if (length < 0 || length > pendingLength()) {
            throw new IllegalArgumentException(
                    "bufferId=" + fanout.bufferId() + " length=" + length + " readable=" + pendingLength());
        }
        log.advance(cursor, length);
        moveTo(cursor.position());
        fanout.onRead(position());
    }

    /** Closes this tap and releases all memory. After that, nothing can be read. Idempotent. */
    public void close() {
        closed = true;
        owner.giveUp(this, true);
    }
}

package io.rocketbufs;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.out.Origin;
import io.rocketbufs.out.Tap;
import io.rocketbufs.out.TapOrigin;
import java.util.function.BooleanSupplier;

/**
 * A reader, in the same process, of one buffer of an {@link ROut}. It reads the buffer's memory in place and at its own
 * pace, alongside the subscribers. The buffer keeps the data that the reader has not consumed, even after the buffer
 * has been removed or its input has ended.
 *
 * <p>A reader can also take over from a subscriber. {@link #consumedBySubscribers()} returns the position up to which
 * all subscribers, including former ones, have consumed the buffer. The reader can read the data that they have not
 * consumed.
 *
 * <p><b>Thread-safety:</b> only the thread that produces into the buffer may read and close; for a spliced buffer, this
 * is the worker of the input's connection. Any thread may call {@link #consumedBySubscribers()},
 * {@link #requestReport}, {@link #position()}, {@link #pendingLength()}, {@link #isInTheWay()} and {@link #isAtEnd()}.
 * <b>Ownership:</b> uses the buffer's memory until {@link #close()}. <b>Source:</b> an addition to RocketBufs.
 */
public final class LocalReader implements AutoCloseable {
    private final Tap tap;
    private final Segment view;
    private final Segment nothing;

    LocalReader(int bufferId, Tap tap) {
        this.tap = tap;
        this.view = Segment.over(bufferId, tap.memory(), true);
        this.nothing = Segment.over(bufferId, tap.memory(), true);
    }

    /**
     * Returns a view of the next bytes without copying them: one or more whole deliveries, or their unconsumed part, at
     * most 1 GiB. Further deliveries may follow. The view is valid until these bytes are consumed.
     *
     * @return a read-only view, of length 0 if there is nothing to read; the next call returns the same object with new
     *     contents
     */
    public Segment next() {
        long length = Math.min(CircularBuffer.MAX_RANGE, tap.readableLength());
        return length == 0 ? nothing : view.set(tap.localPosition(), length);
    }

    /**
     * Returns the number of bytes missing immediately before the next byte because this reader or the sender of the
     * buffer's input skipped them. Each missing byte is included in one result only.
     */
    public long takeLost() {
        return tap.takeLost();
    }

    /**
     * Marks the next {@code length} bytes as consumed. Their memory is free once the subscribers have also passed them.
     *
     * @throws IllegalArgumentException if fewer than {@code length} bytes are pending
     */
    public void consume(long length) {
        tap.consume(length);
    }

    /** Returns the number of delivered bytes that this reader has not consumed; 0 after the reader has been closed. */
    public long pendingLength() {
        return tap.pendingLength();
    }

    /** Returns the position of the next byte: the number of bytes delivered before it. */
    public long position() {
        return tap.nextPosition();
    }

    /**
     * Returns the position up to which every subscriber is known to have consumed the buffer. For a former subscriber,
     * this is the position up to which it had consumed data when it left. Returns this reader's position if the buffer
     * has never had a subscriber.
     */
    public long consumedBySubscribers() {
        return tap.consumedBySubscriptions();
    }

    /**
     * Asks the subscribers to report when they have consumed the data before a position. Once the reports have arrived,
     * {@link #consumedBySubscribers()} returns at least this position. Lower positions are requested before higher
     * ones, including the positions that {@link ROut#flush} requests. While a requested position has not been reached,
     * a request for a lower position replaces it, and a request for a higher position is ignored.
     */
    public void requestReport(long position) {
        tap.requestReport(position);
    }

    /** Returns true if the producer cannot continue until this reader has consumed more data. */
    public boolean isInTheWay() {
        return tap.isInTheWay();
    }

    /**
     * Returns true if this reader is closed, or if the buffer has been removed and this reader has consumed all data in
     * it.
     */
    public boolean isAtEnd() {
        return tap.isAtEnd();
    }

    /** Returns this reader as the origin of a buffer that is filled with its data. */
    Origin originOf(BooleanSupplier isHeldUp) {
        return new TapOrigin(tap, isHeldUp);
    }

    /** Closes this reader and releases the buffer's memory. After that, nothing can be read. Idempotent. */
    @Override
    public void close() {
        tap.close();
    }
}

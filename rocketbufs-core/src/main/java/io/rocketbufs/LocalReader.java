package io.rocketbufs;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.out.Origin;
import io.rocketbufs.out.Tap;
import io.rocketbufs.out.TapOrigin;
import java.util.function.BooleanSupplier;

/**
 * A reader of one buffer of an {@link ROut} in the same process. It reads the buffer's memory in place, at its own pace
 * and in addition to the subscribers. The buffer keeps the data that the reader has not consumed, even after the buffer
 * has been removed, or its input has ended.
 *
 * <p>A reader can also take over from a subscriber: {@link #consumedBySubscribers()} is the position up to which the
 * subscribers have consumed the buffer, including those that have left. The data that they have not consumed can be
 * read here.
 *
 * <p><b>Thread-safety:</b> the thread that produces into the buffer reads and closes; for a spliced buffer, this is the
 * worker of the input's connection. Any thread calls {@link #consumedBySubscribers()}, {@link #requestReport},
 * {@link #position()}, {@link #pendingLength()}, {@link #isInTheWay()} and {@link #isAtEnd()}. <b>Ownership:</b> uses
 * the buffer's memory until {@link #close()}. <b>Source:</b> an addition to RocketBufs.
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
     * Returns a view of the next bytes without copying them: one or more whole deliveries, or what is left of them, at
     * most 1 GiB. Further deliveries may follow. The view is valid until these bytes are consumed.
     *
     * @return a read-only view, of length 0 when there is nothing to read; the next call returns the same object with
     *     new contents
     */
    public Segment next() {
        long length = Math.min(CircularBuffer.MAX_RANGE, tap.readableLength());
        return length == 0 ? nothing : view.set(tap.localPosition(), length);
    }

    /**
     * Returns the number of bytes that are missing right before the next byte, because the sender of the buffer's input
     * skipped them, or this reader did. Each is returned once.
     */
    public long takeLost() {
        return tap.takeLost();
    }

    /**
     * Passes the next {@code length} bytes. Their memory is free once the subscribers have passed them, too.
     *
     * @throws IllegalArgumentException when there are fewer bytes
     */
    public void consume(long length) {
        tap.consume(length);
    }

    /** Returns the number of bytes that have been delivered, and not consumed by this reader; 0 after it was closed. */
    public long pendingLength() {
        return tap.pendingLength();
    }

    /** Returns the position of the next byte: the number of bytes delivered before it. */
    public long position() {
        return tap.nextPosition();
    }

    /**
     * Returns the position up to which every subscriber is known to have consumed the buffer. One that has left counts
     * with what it had consumed by then. Returns this reader's position if there has been no subscriber.
     */
    public long consumedBySubscribers() {
        return tap.consumedBySubscriptions();
    }

    /**
     * Asks the subscribers to report when they have consumed the data before a position, so that
     * {@link #consumedBySubscribers()} is at least this position soon after. A lower position is requested before a
     * higher one, and before what {@link ROut#flush} requests. A position that is not higher than a requested one that
     * has not been reached replaces it; a higher one is ignored.
     */
    public void requestReport(long position) {
        tap.requestReport(position);
    }

    /** Returns true when the producer cannot continue before this reader has consumed more. */
    public boolean isInTheWay() {
        return tap.isInTheWay();
    }

    /**
     * Returns true when the buffer has been removed, and everything in it has been consumed by this reader, or this
     * reader is closed.
     */
    public boolean isAtEnd() {
        return tap.isAtEnd();
    }

    /** Returns this reader as the origin of a buffer that is filled with its data. */
    Origin originOf(BooleanSupplier isHeldUp) {
        return new TapOrigin(tap, isHeldUp);
    }

    /** Releases the buffer's memory; there is nothing more to read. Idempotent. */
    @Override
    public void close() {
        tap.close();
    }
}

package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Grant;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.SegmentView;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment that a consumer reads, with the word that shows the consumer how far it may read. After the consumer has
 * read all records, it can wait for the next record.
 *
 * <p><i>Thread-safety:</i> any thread may publish; only the consumer's {@link OpenSegments} starts and ends waits, and
 * ends publishing.
 */
final class OpenSegment {
    private static final Logger LOG = LoggerFactory.getLogger(OpenSegment.class);
    private static final long NOT_WAITING = -1;

    private final LogPartition partition;
    private final SegmentView view;
    private final Grant grant;
    private final ByteBuffer slots;
    private final int slot;
    private final Consumer<OpenSegment> onDeleted;
    private final Runnable onReady;
    /** The offset of the record for which the consumer waits, or {@link #NOT_WAITING}. */
    private volatile long awaitedOffset = NOT_WAITING;
    /** True once the word has its final value, or must no longer be changed. */
    private volatile boolean isFinal;

    private boolean isDeletionKnown;
    private boolean isLossKnown;

    /**
     * @param onDeleted called by any thread when retention deletes the open segment, or when the segment
     *     {@linkplain #isLost is lost}
     * @param onReady called by {@link #checkReady} if the consumer's wait is over
     */
    OpenSegment(
            LogPartition partition,
            SegmentView view,
            Grant grant,
            ByteBuffer slots,
            int slot,
            Consumer<OpenSegment> onDeleted,
            Runnable onReady) {
        this.partition = partition;
        this.view = view;
        this.grant = grant;
        this.slots = slots;
        this.slot = slot;
        this.onDeleted = onDeleted;
        this.onReady = onReady;
    }

    /**
     * Publishes the position up to which the consumer may now read. A lock prevents a late call from writing into a
     * reused slot; the lock is contended only while a segment is opened or closed.
     */
    void publish() {
        if (!isFinal) {
            publishChange();
        }
    }

    private synchronized void publishChange() {
        if (isFinal) {
            return;
        }
        try {
            boolean isEnded = view.isEnded(); // read before the end, which is final only if this is true
            long position = partition.readableEnd(view);
            isFinal = isEnded && position == view.end();
            SlotLayout.publish(slots, slot, position, isFinal);
        } catch (LogException e) { // affects only this consumer
            LOG.warn("A consumer cannot see new records of {}: {}", partition.name(), e.getMessage());
        }
    }

    /**
     * Calls {@code onDeleted} once if retention has deleted the segment, and once if the segment is lost. For a topic
     * in memory, deletion by retention is not reported.
     */
    void checkDeleted() {
        synchronized (this) {
            boolean isLost = isLost();
            boolean isKnown = isLost ? isLossKnown : isDeletionKnown;
            if (isKnown || !isLost && (partition.isInMemory() || !view.isDeleted())) {
                return;
            }
            isLossKnown = isLost;
            isDeletionKnown = true;
        }
        onDeleted.accept(this);
    }

    /**
     * Returns true if the consumer must stop reading immediately, because the topic was deleted or another program has
     * truncated the file.
     */
    boolean isLost() {
        return partition.isDeleted() || view.isTruncated();
    }

    /**
     * Starts waiting for a record. The caller must then call {@link #isReady}; the publishing thread notices records
     * that become readable later. The next record always ends the wait, so that no client can slow down appends with a
     * long wait.
     *
     * @param offset not negative; an offset beyond the end of the log counts as the end
     */
    void await(long offset) {
        if (awaitedOffset == NOT_WAITING) {
            partition.addWait();
        }
        awaitedOffset = Math.min(offset, partition.nextOffset());
    }

    /** Ends the wait. Returns false if the consumer does not wait. */
    boolean endWait() {
        boolean wasWaiting = awaitedOffset != NOT_WAITING;
        if (wasWaiting) {
            awaitedOffset = NOT_WAITING;
            partition.removeWait();
        }
        return wasWaiting;
    }

    /**
     * Returns true if the consumer's wait is over: it is waiting, but the record is readable, or the segment has ended.
     */
    boolean isReady() {
        long awaited = awaitedOffset;
        return awaited != NOT_WAITING && (isFinal || partition.readableOffset() > awaited);
    }

    /** Calls {@code onReady} if the consumer's wait is over. */
    void checkReady() {
        if (isReady()) {
            onReady.run();
        }
    }

    int slot() {
        return slot;
    }

    LogPartition partition() {
        return partition;
    }

    Grant grant() {
        return grant;
    }

    long baseOffset() {
        return view.baseOffset();
    }

    /** Ends publishing, and informs the consumer that no further records follow. */
    void endForConsumer() {
        synchronized (this) {
            if (!isFinal) {
                isFinal = true;
                SlotLayout.end(slots, slot);
            }
        }
        partition.removeReader(this);
    }

    /** Ends publishing, without informing the consumer. */
    void end() {
        synchronized (this) {
            isFinal = true;
        }
        partition.removeReader(this);
    }
}

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
 * A segment that a consumer reads, and the word that shows the consumer how far it may read. A consumer that has read
 * everything can wait here for the next record.
 *
 * <p><i>Thread-safety:</i> any thread may publish; only the consumer's {@link OpenSegments} begins and ends waits, and
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
    /** The offset of the record for which the consumer waits. */
    private volatile long awaitedOffset = NOT_WAITING;
    /** True when the word has its final value, or must no longer be changed. */
    private volatile boolean isFinal;

    private boolean isDeletionKnown;
    private boolean isLossKnown;

    /**
     * @param onDeleted called if retention deletes the segment while it is open, or it {@linkplain #isLost is lost};
     *     any thread
     * @param onReady called by {@link #checkReady} when the consumer's wait is over
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
     * Stores the position up to which the consumer may now read. The lock prevents a late call from storing into a
     * reused slot; it is contended only while a segment is opened or closed.
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
            boolean isEnded = view.isEnded(); // first: the end is final only after this
            long position = partition.readableEnd(view);
            isFinal = isEnded && position == view.end();
            SlotLayout.publish(slots, slot, position, isFinal);
        } catch (LogException e) { // affects only this consumer
            LOG.warn("A consumer cannot see new records of {}: {}", partition.name(), e.getMessage());
        }
    }

    /**
     * Reports once if retention has deleted the segment (never for a topic in memory), and once if the segment is lost.
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
     * Returns true if the consumer must stop reading at once: the topic was deleted, or another program has truncated
     * the file.
     */
    boolean isLost() {
        return partition.isDeleted() || view.isTruncated();
    }

    /**
     * Begins to wait for a record. The caller then calls {@link #isReady}: a record that becomes readable later is
     * noticed by the thread that publishes it. The next record ends each wait, so that no client can make every append
     * look for one that lasts.
     *
     * @param offset not negative; one beyond the end of the log counts as the end
     */
    void await(long offset) {
        if (awaitedOffset == NOT_WAITING) {
            partition.addWait();
        }
        awaitedOffset = Math.min(offset, partition.nextOffset());
    }

    /** Ends the wait. Returns false if there is none. */
    boolean endWait() {
        boolean wasWaiting = awaitedOffset != NOT_WAITING;
        if (wasWaiting) {
            awaitedOffset = NOT_WAITING;
            partition.removeWait();
        }
        return wasWaiting;
    }

    /** Returns true if the consumer waits although it can read the record, or the segment has ended. */
    boolean isReady() {
        long awaited = awaitedOffset;
        return awaited != NOT_WAITING && (isFinal || partition.readableOffset() > awaited);
    }

    /** Reports the end of the wait, if it is over. */
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

    /** Ends publishing, and shows the consumer that no further records follow. */
    void endForConsumer() {
        synchronized (this) {
            if (!isFinal) {
                isFinal = true;
                SlotLayout.end(slots, slot);
            }
        }
        partition.removeReader(this);
    }

    /** Ends publishing. */
    void end() {
        synchronized (this) {
            isFinal = true;
        }
        partition.removeReader(this);
    }
}

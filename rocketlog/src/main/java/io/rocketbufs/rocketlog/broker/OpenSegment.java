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
 * A segment that a consumer reads, and the word that shows the consumer how far.
 *
 * <p><i>Thread-safety:</i> any thread publishes; the consumer's {@link OpenSegments} closes.
 */
final class OpenSegment {
    private static final Logger LOG = LoggerFactory.getLogger(OpenSegment.class);

    private final LogPartition partition;
    private final SegmentView view;
    private final Grant grant;
    private final ByteBuffer slots;
    private final int slot;
    private final Consumer<OpenSegment> onDeleted;
    /** True when the word has its last value, or must no longer be stored. */
    private volatile boolean isFinal;

    private boolean isDeletionKnown;
    private boolean isTopicDeletionKnown;

    /**
     * @param onDeleted called if retention deletes the segment, or the topic is deleted, while it is open; any thread
     */
    OpenSegment(
            LogPartition partition,
            SegmentView view,
            Grant grant,
            ByteBuffer slots,
            int slot,
            Consumer<OpenSegment> onDeleted) {
        this.partition = partition;
        this.view = view;
        this.grant = grant;
        this.slots = slots;
        this.slot = slot;
        this.onDeleted = onDeleted;
    }

    /**
     * Stores the position up to which the consumer may read now. The lock keeps a late call from storing into a slot
     * that is reused; it is contended only while a segment is opened or closed.
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
            boolean isEnded = view.isEnded(); // first, because the end is final only then
            long position = partition.readableEnd(view);
            isFinal = isEnded && position == view.end();
            SlotLayout.publish(slots, slot, position, isFinal);
        } catch (LogException e) { // affects only this consumer
            LOG.warn("A consumer does not see new records of {}: {}", partition.name(), e.getMessage());
        }
    }

    /**
     * Reports once if retention, which topics in memory do not have, has deleted the segment, and once if the topic was
     * deleted.
     */
    void checkDeleted() {
        synchronized (this) {
            boolean isTopicDeleted = partition.isDeleted();
            boolean isKnown = isTopicDeleted ? isTopicDeletionKnown : isDeletionKnown;
            if (isKnown || !isTopicDeleted && (partition.isInMemory() || !view.isDeleted())) {
                return;
            }
            isTopicDeletionKnown = isTopicDeleted;
            isDeletionKnown = true;
        }
        onDeleted.accept(this);
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

    /** Ends publishing, and shows the consumer that nothing follows what it can read. */
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

package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Grant;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.SegmentView;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import java.nio.ByteBuffer;
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
    private boolean isClosed;

    OpenSegment(LogPartition partition, SegmentView view, Grant grant, ByteBuffer slots, int slot) {
        this.partition = partition;
        this.view = view;
        this.grant = grant;
        this.slots = slots;
        this.slot = slot;
    }

    /**
     * Stores what the consumer may see now. The lock keeps a late call from storing into a slot that is used again; it
     * is contended only while a segment is opened or closed.
     */
    synchronized void publish() {
        if (isClosed) {
            return;
        }
        try {
            boolean isEnded = view.isEnded(); // first, because the end is final only then
            long position = partition.readableEnd(view);
            SlotLayout.publish(slots, slot, position, isEnded && position == view.end());
        } catch (LogException e) { // only this consumer waits in vain
            LOG.warn("A consumer does not see new records of {}: {}", partition.name(), e.getMessage());
        }
    }

    Grant grant() {
        return grant;
    }

    /** Ends publishing. Closes the view; the grant holds the memory for as long as the consumer may read it. */
    void close() {
        synchronized (this) {
            isClosed = true;
        }
        partition.removeReader(this);
        view.close();
    }
}

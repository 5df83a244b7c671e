package io.rocketbufs.livestream.edge;

import io.rocketbufs.RIn;
import io.rocketbufs.livestream.StreamDescription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buffer into which the relay writes one stream. It exists while the relay writes, and afterwards while viewers may
 * request its chunks.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class EdgeBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(EdgeBuffer.class);

    private final RIn in;
    private final int bufferId;
    private final long capacity;
    private final int chunkLimit;
    private volatile boolean released;

    EdgeBuffer(RIn in, StreamDescription description) {
        this.in = in;
        this.bufferId = description.bufferId();
        this.capacity = description.capacity();
        this.chunkLimit = description.chunkLimit();
    }

    int bufferId() {
        return bufferId;
    }

    /** Returns the length of the newest data that the next chunk cannot overwrite, however long that chunk is. */
    long safeLength() {
        return capacity - chunkLimit;
    }

    /**
     * Returns true unless the receiver knows that data at or after this position has been overwritten. Over a one-sided
     * transport it learns of that late.
     */
    boolean holds(long position) {
        if (released) {
            return false;
        }
        try {
            return position >= in.overwriteLimit(bufferId);
        } catch (IllegalArgumentException e) {
            // Released between the two calls.
            return false;
        }
    }

    /** Releases the memory, which must no longer be read. */
    void release() {
        if (released) {
            return;
        }
        released = true;
        try {
            in.unsubscribe(bufferId);
        } catch (IllegalArgumentException e) {
            LOG.debug("Buffer {} was refused by the relay", bufferId);
        }
    }
}

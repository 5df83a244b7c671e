package io.rocketbufs.livestream.edge;

import io.rocketbufs.RIn;
import io.rocketbufs.livestream.StreamDescription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A buffer for one stream, which the relay writes. It is kept until the relay has stopped writing and viewers can no
 * longer request its chunks.
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

    /**
     * Returns how many of the newest bytes the next chunk cannot overwrite, even if that chunk has the maximum length.
     */
    long safeLength() {
        return capacity - chunkLimit;
    }

    /**
     * Returns true unless the receiver knows that data at {@code position} has been overwritten. Over a one-sided
     * transport, the receiver learns this only after the overwrite.
     */
    boolean holds(long position) {
        if (released) {
            return false;
        }
        try {
            return position >= in.overwriteLimit(bufferId);
        } catch (IllegalArgumentException e) {
            // Another thread released the buffer after the check above.
            return false;
        }
    }

    /** Releases the memory, which callers must no longer read. */
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

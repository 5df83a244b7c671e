package io.rocketbufs.livestream.edge;

import io.rocketbufs.RIn;
import io.rocketbufs.livestream.StreamDescription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A buffer for one stream, written by the relay. It is kept until the relay has stopped writing and viewers can no
 * longer request the chunks in it.
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

    /** Returns the number of newest bytes that the next chunk cannot overwrite even if it has the maximum length. */
    long safeLength() {
        return capacity - chunkLimit;
    }

    /**
     * Returns false if data at {@code position} is known to have been overwritten. Over a one-sided transport, the
     * receiver detects this only after the overwrite.
     */
    boolean holds(long position) {
        if (released) {
            return false;
        }
        try {
            return position >= in.overwriteLimit(bufferId);
        } catch (IllegalArgumentException e) {
            // Another thread has released the buffer since the check above.
            return false;
        }
    }

    /** Releases the memory. Callers must no longer read it. */
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

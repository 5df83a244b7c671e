package io.rocketbufs.livestream.edge;

import io.rocketbufs.RIn;
import io.rocketbufs.livestream.StreamDescription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buffer into which the relay writes one stream, as long as it writes and then as long as viewers may want what is
 * in it.
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

    /** Bytes of the newest chunks that stay as they are when the next chunk comes, however long it is. */
    long safeLength() {
        return capacity - chunkLimit;
    }

    /**
     * True when nothing at this position or after it has been overwritten, as far as the receiver knows: with a
     * one-sided transport it learns of that late.
     */
    boolean holds(long position) {
        if (released) {
            return false;
        }
        try {
            return position >= in.overwriteLimit(bufferId);
        } catch (IllegalArgumentException e) {
            // Released between the two.
            return false;
        }
    }

    /** Gives the memory back: nothing of it is to be read any more. */
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

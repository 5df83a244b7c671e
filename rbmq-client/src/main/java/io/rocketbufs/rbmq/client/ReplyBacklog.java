package io.rocketbufs.rbmq.client;

/**
 * The memory for the replies of one client that wait because their buffers are full. Each requester may use as many
 * bytes as remain free. One that does not take its replies therefore gets at most half of the memory, two get a third
 * each, and so on, and there is always some left for the others.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ReplyBacklog {
    /** Approximate memory of the objects that hold a waiting reply in bytes; small replies consist of little else. */
    static final int OVERHEAD = 256;

    private final long capacity;
    private long used;

    /** Creates an empty backlog with the given capacity in bytes. */
    ReplyBacklog(long capacity) {
        this.capacity = capacity;
    }

    /**
     * Takes memory for a reply.
     *
     * @param held number of bytes that the requester's replies already hold
     * @return false when it may not have more
     */
    synchronized boolean take(long held, long length) {
        if (held + length > capacity - used) {
            return false;
        }
        used += length;
        return true;
    }

    /** Gives memory back. */
    synchronized void release(long length) {
        used -= length;
    }
}

package io.rocketbufs.rbmq.client;

/**
 * The memory for replies of one client that wait because their buffers are full. The replies to each requester may use
 * at most as many bytes as remain free. If one requester does not read its replies, they therefore use at most half of
 * the memory; with two such requesters, a third each, and so on. Some memory always remains for other requesters.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ReplyBacklog {
    /** Approximate memory in bytes of the objects that hold a waiting reply. It dominates for small replies. */
    static final int OVERHEAD = 256;

    private final long capacity;
    private long used;

    /** Creates an empty backlog with the given capacity in bytes. */
    ReplyBacklog(long capacity) {
        this.capacity = capacity;
    }

    /**
     * Reserves memory for a reply.
     *
     * @param held number of bytes that replies to the same requester already occupy
     * @return false if the requester's replies may not occupy more memory
     */
    synchronized boolean take(long held, long length) {
        if (held + length > capacity - used) {
            return false;
        }
        used += length;
        return true;
    }

    /** Releases memory. */
    synchronized void release(long length) {
        used -= length;
    }
}

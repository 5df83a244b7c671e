package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * The memory of a buffer that the application fills. Its producer may reserve memory at any time, while a worker
 * returns unused pages to the operating system.
 *
 * <p>Before the producer reserves memory, it claims this memory and usually the next 64 KiB. Pages are returned only
 * outside of the newest claim, so the two threads never use the same page:
 *
 * <pre>
 *                         start of the claim            end of the claim
 *  ------------------------------|----------------------------|--------&gt;  local position
 *   delivered before the claim:  | open reservations,         | reserved only after
 *   returned once all readers    | later deliveries,          | the next claim
 *   have released it             | reservations to come       |
 * </pre>
 *
 * A message therefore costs the producer one comparison with the end of the claim. This comparison replaces the one
 * with the end of the free memory, which is never lower.
 *
 * <p><b>Thread-safety:</b> the producer claims and restarts, and any thread may call the other methods, all under this
 * object's lock. The worker holds the lock for about 20 microseconds, and only while it returns pages that have not
 * been used for a second. <b>Ownership:</b> holds a lease on the memory until it is {@linkplain #drained drained}.
 */
final class OutputMemory {
    /** Number of bytes claimed in advance: after a restart, exactly the part that keeps its pages. */
    private static final long CLAIM_LENGTH = CircularBuffer.KEPT_LENGTH;

    private final CircularBuffer memory;
    private final OpenReservations open;
    private final LongPredicate isReleased;
    private final Set<OutputMemory> touched;

    // Written by the producer, under the lock.
    private long start;
    private long end;
    /** Log position at which the data delivered before the claim ends. */
    private long deliveredEnd;

    // Guarded by the lock.
    private boolean isListed;
    /** True if the buffer is drained, and only open segments keep its memory in use. */
    private boolean releaseWithLastSegment;

    private boolean released;

    /**
     * Creates memory without a claim.
     *
     * @param open the producer's open reservations
     * @param isReleased returns true if all readers have released the data before a log position
     * @param touched contains the memory that may have pages to return
     */
    OutputMemory(CircularBuffer memory, OpenReservations open, LongPredicate isReleased, Set<OutputMemory> touched) {
        this.memory = memory;
        this.open = open;
        this.isReleased = isReleased;
        this.touched = touched;
    }

    // The producer.

    /** Returns the local position up to which the producer may reserve memory without another claim. */
    long claimedEnd() {
        return end;
    }

    /**
     * Claims the open reservations and the memory from {@code reserved} to {@code needed}, and more if possible.
     *
     * @param limit local position at which the free memory ends
     * @param logEnd log position at which the log ends
     */
    synchronized void claim(long reserved, long needed, long limit, long logEnd) {
        start = open.first(reserved);
        end = Math.min(limit, needed + CLAIM_LENGTH);
        deliveredEnd = logEnd;
        memory.touch(end);
        if (!isListed && !released && memory.hasTouched()) {
            isListed = true;
            touched.add(this);
        }
    }

    /** Restarts the empty memory at its first byte, and claims the memory from there on. */
    synchronized void restart(long position, long logEnd) {
        // A reservation that has been shortened may have touched memory after the position.
        memory.touch(end);
        memory.rewind(position);
        claim(position, position, position + memory.capacity(), logEnd);
    }

    // Any thread.

    /**
     * Returns pages that the producer has not claimed to the operating system, if the buffer has been empty, and its
     * pages unused, for a second.
     *
     * @return the number of bytes returned
     */
    synchronized long returnPages() {
        if (released) {
            return 0;
        }
        if (!isReleased.test(deliveredEnd)) {
            memory.touch(end);
            return 0;
        }
        long length = memory.returnPagesOutside(start, end);
        if (!memory.hasTouched()) {
            unlist();
        }
        return length;
    }

    /** Releases the memory, immediately or with the last open segment, because no reader is left. */
    synchronized void drained() {
        // An open segment is still being filled: the memory is freed when the segment is delivered or cancelled.
        releaseWithLastSegment = !open.isEmpty();
        if (!releaseWithLastSegment) {
            release();
        }
    }

    /** Called by the producer of an ended buffer when no segment is open. */
    synchronized void lastSegmentClosed() {
        if (open.isEmpty() && releaseWithLastSegment) {
            releaseWithLastSegment = false;
            release();
        }
    }

    private void release() {
        released = true;
        unlist();
        memory.region().release();
    }

    private void unlist() {
        isListed = false;
        touched.remove(this);
    }
}

package io.rocketbufs.out;

/**
 * The newest data of one buffer, which is kept for later subscriptions even if all current subscriptions have passed
 * it.
 *
 * <pre>
 *   log positions  ....... dropped ........ floor ................. end
 *                                             |&lt;-- at most length --&gt;|
 * </pre>
 *
 * <p>Memory and records at or after the floor are not reused. The floor is computed from the end, so no thread has to
 * advance it. If the producer cannot continue otherwise, it drops kept data early. This happens only if the log has run
 * out of records, or if reservations were much longer than their deliveries.
 *
 * <p>A subscription may begin at any position at or after the floor. The joining thread publishes the subscription,
 * executes a full fence, and then computes the floor. A producer that determined which memory is free without seeing
 * the subscription had appended no more than the joining thread sees, so the producer's floor was not higher.
 *
 * <p>When the buffer ends, all kept data is dropped, because the memory can then become free while a late subscription
 * begins. A producer therefore reads the floor before it reads the positions of the subscriptions. If its floor
 * includes the drop, it also sees every subscription that began with kept data before the drop.
 *
 * <p><b>Thread-safety:</b> {@link #drop} is called under the {@link Fanout}'s lock; a joining thread holds this lock
 * from the publication of its subscription until the subscription has begun. Any thread may read.
 */
final class Kept {
    private final long length;
    /** Log position before which data was dropped early. */
    private volatile long dropped;

    /**
     * Starts to keep data.
     *
     * @param length number of bytes to keep before the end; 0 for none
     */
    Kept(long length) {
        this.length = length;
    }

    /** Returns the log position from which data is kept, given the log's end. */
    long floor(long end) {
        return Math.max(dropped, end - length);
    }

    /** Drops the data before a log position, at most the log's end. Data that readers still need is not affected. */
    void drop(long position) {
        dropped = Math.max(dropped, position);
    }

    /** Returns true if data is kept. */
    boolean isOn() {
        return length > 0;
    }
}

package io.rocketbufs.link;

/**
 * The owner of local memory that remains in use until all writes from the memory have completed. Called under the
 * {@link Sender}'s token.
 */
public interface WriteOwner {
    /** Called when a write has been posted. The write uses the memory until it completes. */
    void writePosted();

    /**
     * Called when the oldest posted write has completed.
     *
     * @param end the position passed to {@link Sender#posted}
     */
    void writeCompleted(long end);

    /**
     * Called when a write has completed immediately while no earlier write was in flight.
     *
     * @param end the position passed to {@link Sender#posted}
     */
    void writeDone(long end);
}

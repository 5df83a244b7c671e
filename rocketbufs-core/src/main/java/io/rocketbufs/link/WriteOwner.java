package io.rocketbufs.link;

/** A user of local memory until writes from it have completed. Called under the {@link Sender}'s token. */
public interface WriteOwner {
    /** Called when a write uses memory until it completes. */
    void writePosted();

    /**
     * Called when the oldest posted write has completed.
     *
     * @param end what was passed to {@link Sender#posted}
     */
    void writeCompleted(long end);

    /**
     * Called when a write has completed at once, with no earlier write in flight.
     *
     * @param end what was passed to {@link Sender#posted}
     */
    void writeDone(long end);
}

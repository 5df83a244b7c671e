package io.rocketbufs.link;

/** Uses local memory until writes from it have completed. Called under the {@link Sender}'s token. */
public interface WriteOwner {
    /** Notes that a write uses memory until it completes. */
    void writePosted();

    /**
     * Notes that the oldest posted write has completed.
     *
     * @param end what was passed to {@link Sender#posted}
     */
    void writeCompleted(long end);

    /**
     * Notes a write that was complete at once, with none before it in flight.
     *
     * @param end what was passed to {@link Sender#posted}
     */
    void writeDone(long end);
}

package io.rocketbufs.out;

/** The producing side of a buffer, which is notified when subscriptions release memory. */
interface FanoutOwner {
    /**
     * Called when a subscription has released up to {@code released}. Any thread; quick when the release has no effect.
     */
    void onReleased(long released);

    /** Returns true when deliveries overwrite data that a subscription has not sent yet. */
    boolean overwrites();

    /**
     * Returns the length of the longest arriving transfer of several deliveries that must be passed on whole; 0 for
     * none.
     */
    long longestCoalesced();

    /**
     * Called when the ended buffer has no subscription left. Frees its id before its memory, so that the id is free
     * whenever the memory is. Any thread, once.
     */
    void onDrained();
}

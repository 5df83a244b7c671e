package io.rocketbufs.out;

/** The side of a buffer that puts data in; it is notified when subscriptions release memory. */
interface FanoutOwner {
    /** Called when a subscription has released up to {@code released}. Any thread; quick when that changes nothing. */
    void onReleased(long released);

    /** Returns true when deliveries overwrite what a subscription has not sent yet. */
    boolean overwrites();

    /** Returns the longest arriving transfer of several deliveries that can only be passed on whole; 0 for none. */
    long longestCoalesced();

    /**
     * Called when the ended buffer has no subscription left. Frees its id before its memory, so that the id is free
     * whenever the memory is. Any thread, once.
     */
    void onDrained();
}

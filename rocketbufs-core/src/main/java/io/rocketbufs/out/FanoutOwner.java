package io.rocketbufs.out;

/** The side of a buffer that puts data in; it hears when subscriptions release memory. */
interface FanoutOwner {
    /** Called when a subscription has come as far as {@code released}. Any thread; quick when that changes nothing. */
    void onReleased(long released);

    /** Returns true when deliveries overwrite what a subscription has not sent yet. */
    boolean overwrites();

    /** Returns the longest transfer of several deliveries that arrives and can only be passed on whole; 0 for none. */
    long longestCoalesced();

    /**
     * Called when the ended buffer has no subscription left. Frees its id, then its memory: so where the memory is
     * free, the id is free too. Any thread, once.
     */
    void onDrained();
}

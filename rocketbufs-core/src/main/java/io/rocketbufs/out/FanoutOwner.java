package io.rocketbufs.out;

/** The producing side of a buffer, which is notified when subscriptions release memory. */
interface FanoutOwner {
    /**
     * Called when a subscription has released memory up to {@code released}. Any thread; fast when the release has no
     * effect.
     */
    void onReleased(long released);

    /** Returns true when deliveries may overwrite data that a subscription has not sent yet. */
    boolean overwrites();

    /**
     * Returns the maximum length of an arriving transfer that combines several deliveries and must be passed on whole;
     * 0 if there are no such transfers.
     */
    long longestCoalesced();

    /**
     * Called when the ended buffer has no subscription left. Frees the id before the memory, so that a caller that sees
     * the memory free can reuse the id. Any thread, once.
     */
    void onDrained();
}

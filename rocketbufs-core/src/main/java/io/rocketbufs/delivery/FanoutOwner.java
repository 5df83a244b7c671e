package io.rocketbufs.delivery;

/** The side of a buffer that puts data in: it is told when subscriptions let go of memory. */
interface FanoutOwner {
    /** A subscription has come as far as {@code released}. Any thread; must be quick when that changes nothing. */
    void onReleased(long released);

    /** Longest transfer of several deliveries that arrives and can only be passed on whole; 0 for none. */
    long longestCoalesced();

    /** The ended buffer has no subscription left; its memory may go. Any thread, once. */
    void onDrained();
}

package io.rocketbufs.delivery;

/**
 * How one subscription ends: who wants that, what was not sent, and what the peer knows.
 *
 * <p><b>Thread-safety:</b> wishes come from the worker, the end under the {@link Sender}'s token, the report is the
 * worker's; each is read by anybody.
 */
final class Ending {
    private volatile boolean unsubscribed;
    private volatile long lastOrders = Long.MAX_VALUE;
    private volatile boolean silent;
    private volatile boolean tagFree;
    private long undelivered;
    private String reason;
    private boolean reported;

    /** The peer wants no more, or has been answered. */
    void unsubscribed(boolean wanted) {
        unsubscribed = wanted;
    }

    boolean isUnsubscribed() {
        return unsubscribed;
    }

    /** The connection closes: nothing is sent after that log position. */
    void lastOrders(long position) {
        lastOrders = position;
    }

    /** Log position after which nothing is sent; {@link Long#MAX_VALUE} for none. */
    long lastOrders() {
        return lastOrders;
    }

    /** Nothing more is sent; what remains is the peer's UNSUBSCRIBE. The first call says how much was not, and why. */
    void silence(long unsent, String why) {
        if (!silent) {
            undelivered = unsent;
            reason = why;
            silent = true;
        }
    }

    boolean isSilent() {
        return silent;
    }

    /** Bytes that were not sent. */
    long undelivered() {
        return undelivered;
    }

    /** Why it ended; null for an end in good order. */
    String reason() {
        return reason;
    }

    /** The peer is about to know that nothing more comes. */
    void freeTag() {
        tagFree = true;
    }

    /** True when the peer may use the tag anew. */
    boolean isTagFree() {
        return tagFree;
    }

    /** True for the first caller: the end is reported once. */
    boolean claimReport() {
        boolean first = !reported;
        reported = true;
        return first;
    }
}

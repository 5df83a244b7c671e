package io.rocketbufs.out;

/**
 * How far the peer of one subscription has consumed data over later connections, while the loss of this subscription's
 * connection had not been noticed.
 *
 * <p>Independent subscribers can request the same position, so a subscription that seems to continue another one may
 * belong to a different peer. What it consumed therefore counts only until data arrives over the connection of the
 * other one: a lost connection receives nothing.
 *
 * <p><b>Thread-safety:</b> used under the {@link Fanout}'s lock.
 */
final class Continuation {
    private long reached = -1;
    private long heardCount;

    /**
     * Called when a subscription that continues this one has ended.
     *
     * @param position log position up to which its peer has consumed data; {@link Long#MAX_VALUE} if it has
     *     unsubscribed
     * @param heard the {@linkplain io.rocketbufs.link.Link#heardCount() count} of this subscription's connection
     */
    void ended(long position, long heard) {
        reached = Math.max(reached(heard), position);
        heardCount = heard;
    }

    /**
     * Returns the log position up to which the peer has consumed data over later connections; -1 if none is known, and
     * {@link Long#MAX_VALUE} if it has unsubscribed.
     *
     * @param heard the current count of this subscription's connection
     */
    long reached(long heard) {
        return heard == heardCount ? reached : -1;
    }
}

package io.rocketbufs.out;

/**
 * The states of one subscription, which never move backwards:
 *
 * <pre>
 *              activate            END, UNSUBSCRIBED or
 *                                SUBSCRIPTION_FAILED sent      last write completed
 *   JOINING ------------&gt; LIVE -----------------------&gt; SILENT ---------------------&gt; GONE
 *      |                    |                             ^
 *      +--------------------+------ connection lost ------+
 * </pre>
 *
 * A silent or gone subscription still answers its peer's UNSUBSCRIBE, which frees the tag.
 *
 * <p><b>Thread-safety:</b> activated by the worker, then changed under the connection's token, or while it is held
 * permanently; any thread reads.
 */
public final class SubscriptionLife {
    private enum Stage {
        JOINING,
        LIVE,
        SILENT,
        GONE
    }

    private volatile Stage stage = Stage.JOINING;
    private volatile boolean tagFree;
    private volatile boolean left;
    private volatile boolean ending;
    private volatile long closingAt = Long.MAX_VALUE;
    private volatile long undelivered;
    private volatile String reason;

    void activate() {
        stage = Stage.LIVE;
    }

    boolean isLive() {
        return stage == Stage.LIVE;
    }

    /** Returns true when this subscription has stopped sending. */
    public boolean isSilent() {
        return stage.compareTo(Stage.SILENT) >= 0;
    }

    /**
     * Stops sending, and records {@code unsent} as the number of undelivered bytes. Only the first call has an effect.
     */
    void silence(long unsent, String why) {
        if (!isSilent()) {
            undelivered = unsent;
            reason = why;
            stage = Stage.SILENT;
        }
    }

    /** Records that this subscription no longer uses memory. */
    void depart() {
        stage = Stage.GONE;
    }

    /** Stops sending at a log position, because the connection is closing. Worker only. */
    void close(long position) {
        closingAt = position;
    }

    /** Returns the log position after which nothing is sent; {@link Long#MAX_VALUE} while the connection is open. */
    long closingAt() {
        return closingAt;
    }

    /**
     * Records whether the peer may know that this subscription ends. Called with true before END is sent, and with
     * false if the transport has not accepted it.
     */
    void ending(boolean known) {
        ending = known;
    }

    /** Called when the peer has unsubscribed. Worker only. */
    void leave() {
        // Otherwise, the peer may have answered the end of this subscription.
        left |= !ending && !isSilent();
    }

    /** Returns true when the peer has ended this subscription. */
    boolean hasLeft() {
        return left;
    }

    void freeTag() {
        tagFree = true;
    }

    /** Returns true when the peer may use the tag for another subscription. */
    public boolean isTagFree() {
        return tagFree;
    }

    /** Returns the number of bytes that were not sent before the end. */
    public long undelivered() {
        return undelivered;
    }

    /** Returns the reason why the subscription ended; null for a graceful end. */
    public String reason() {
        return reason;
    }
}

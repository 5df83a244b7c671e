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
 * A silent or gone subscription still answers its peer's UNSUBSCRIBE, which frees the tag. In any state, another
 * subscription of the same subscriber can supersede this subscription. The superseded subscription ends as soon as its
 * memory is no longer in use.
 *
 * <p><b>Thread-safety:</b> activated by the worker, then changed under the connection's token, or while the token is
 * held permanently; any thread may read.
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
    private volatile boolean asked;
    private volatile boolean left;
    private volatile long closingAt = Long.MAX_VALUE;
    private volatile boolean superseded;
    private volatile long undelivered;
    private volatile String reason;

    void activate() {
        stage = Stage.LIVE;
    }

    boolean isLive() {
        return stage == Stage.LIVE;
    }

    /** Returns true if this subscription has stopped sending. */
    public boolean isSilent() {
        return stage.compareTo(Stage.SILENT) >= 0;
    }

    /**
     * Stops sending. Only the first call has an effect.
     *
     * @param unsent number of undelivered bytes
     * @param why reason for the end; null for a graceful end
     * @param byPeer true if the peer ended the subscription, rather than merely answering its end
     */
    void silence(long unsent, String why, boolean byPeer) {
        if (!isSilent()) {
            left = byPeer;
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

    /** Called when the peer has unsubscribed, or has answered the end of this subscription. */
    void ask() {
        asked = true;
    }

    /** Returns true if the peer has unsubscribed. */
    boolean isAsked() {
        return asked;
    }

    /** Returns true if the peer has ended this subscription. */
    boolean hasLeft() {
        return left;
    }

    /** Returns true if the peer has unsubscribed, and this subscription has not ended yet. */
    boolean isLeaving() {
        return asked && !isSilent();
    }

    /** Records that the peer has subscribed again with the same identity. Called under the fanout's lock. */
    void supersede() {
        superseded = true;
    }

    /** Returns true if neither the peer's consumption nor the reason for this subscription's end counts any longer. */
    boolean isSuperseded() {
        return superseded;
    }

    /**
     * Returns true if this subscription has ended because its connection is closing, and its peer has not answered END.
     * Until it answers, the peer may report its consumption to a buffer that outlives the connection.
     */
    boolean mayReport() {
        return closingAt != Long.MAX_VALUE && !tagFree && !superseded;
    }

    void freeTag() {
        tagFree = true;
    }

    /** Returns true if the peer may use the tag for another subscription. */
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

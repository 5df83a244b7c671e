package io.rocketbufs.out;

/**
 * The life of one subscription, which only goes forward:
 *
 * <pre>
 *              activate            END, UNSUBSCRIBED or
 *                                SUBSCRIPTION_FAILED sent      last write completed
 *   JOINING ------------&gt; LIVE -----------------------&gt; SILENT ---------------------&gt; GONE
 *      |                    |                             ^
 *      +--------------------+------ connection lost ------+
 * </pre>
 *
 * A silent or gone subscription still answers its peer's UNSUBSCRIBE, which makes the tag free.
 *
 * <p><b>Thread-safety:</b> activated by the worker, then changed under the connection's token, or with it held for
 * good; any thread reads.
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
    private volatile long undelivered;
    private volatile String reason;

    void activate() {
        stage = Stage.LIVE;
    }

    boolean isLive() {
        return stage == Stage.LIVE;
    }

    /** Returns true when nothing more is sent. */
    public boolean isSilent() {
        return stage.compareTo(Stage.SILENT) >= 0;
    }

    /** Ends the sending, once: nothing more is sent, and {@code unsent} bytes were not. */
    void silence(long unsent, String why) {
        if (!isSilent()) {
            undelivered = unsent;
            reason = why;
            stage = Stage.SILENT;
        }
    }

    /** Notes that no memory is used any more; returns true for the first call. */
    boolean depart() {
        boolean departs = stage != Stage.GONE;
        stage = Stage.GONE;
        return departs;
    }

    void freeTag() {
        tagFree = true;
    }

    /** Returns true when the peer may use the tag for another subscription. */
    public boolean isTagFree() {
        return tagFree;
    }

    /** Returns the bytes that were not sent before the end. */
    public long undelivered() {
        return undelivered;
    }

    /** Returns why the subscription ended; null for an orderly end. */
    public String reason() {
        return reason;
    }
}

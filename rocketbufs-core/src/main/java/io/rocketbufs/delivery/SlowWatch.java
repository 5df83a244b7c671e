package io.rocketbufs.delivery;

/**
 * Watches for a peer that is too slow for the policy of its subscription, and disconnects it then. Under
 * {@link SlowPolicy#SKIP} it is never too slow: there, {@link Subscription#giveWay} acts.
 *
 * <p><b>Thread-safety:</b> worker only, except for {@link #checkLag}.
 */
final class SlowWatch {
    private final Subscription subscription;
    private final FanoutTerms terms;
    private final StallWatch stall = new StallWatch();
    private final LagWatch lag = new LagWatch();

    SlowWatch(Subscription subscription, FanoutTerms terms) {
        this.subscription = subscription;
        this.terms = terms;
    }

    /**
     * Looks after {@code elapsedMs} more.
     *
     * @param progress changes whenever the subscription gets on
     * @param released log position where it stands
     * @param end where the log ends
     */
    void look(long elapsedMs, long progress, long released, long end) {
        if (subscription.policy() == SlowPolicy.SKIP) {
            return;
        }
        long stalledMs = stall.look(elapsedMs, progress, released < end);
        if (stalledMs >= terms.stallMs()) {
            disconnect(" consumed nothing for " + stalledMs + " ms while " + (end - released) + " bytes wait");
        }
        if (subscription.policy() == SlowPolicy.DISCONNECT) {
            checkLag(end - released);
            long lagMs = lag.look(elapsedMs, released, end);
            if (lagMs >= terms.lagMs()) {
                disconnect(" lags by " + lagMs + " ms and " + (end - released) + " bytes");
            }
        }
    }

    /** Disconnects a peer under {@link SlowPolicy#DISCONNECT} that lags by too many bytes. Any thread. */
    void checkLag(long pendingLength) {
        if (terms.lagLimit() > 0 && pendingLength > terms.lagLimit()) {
            disconnect(" lags by " + pendingLength + " bytes, more than " + terms.lagLimit());
        }
    }

    private void disconnect(String why) {
        subscription.endpoint().disconnect(subscription.describe() + why);
    }
}

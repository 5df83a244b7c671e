package io.rocketbufs.delivery;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;

/**
 * Watches for a peer that is too slow for the policy of its subscription, and disconnects it then. Under
 * {@link SlowPolicy#SKIP} it is never too slow: there, {@link Subscription#giveWay} acts.
 *
 * <p><b>Thread-safety:</b> worker only, except for {@link #checkLag}.
 */
final class SlowWatch {
    private final Subscription subscription;
    private final BufferOptions options;
    private final StallWatch stall = new StallWatch();
    private final LagWatch lag = new LagWatch();

    SlowWatch(Subscription subscription, BufferOptions options) {
        this.subscription = subscription;
        this.options = options;
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
        if (stalledMs >= options.stallTimeoutMs()) {
            disconnect(" consumed nothing for " + stalledMs + " ms while " + (end - released) + " bytes wait");
        }
        if (subscription.policy() == SlowPolicy.DISCONNECT) {
            checkLag(end - released);
            long lagMs = lag.look(elapsedMs, released, end);
            if (lagMs >= options.lagTimeoutMs()) {
                disconnect(" lags by " + lagMs + " ms and " + (end - released) + " bytes");
            }
        }
    }

    /** Disconnects a peer under {@link SlowPolicy#DISCONNECT} that lags by too many bytes. Any thread. */
    void checkLag(long pendingLength) {
        if (options.lagLimit() > 0 && pendingLength > options.lagLimit()) {
            disconnect(" lags by " + pendingLength + " bytes, more than " + options.lagLimit());
        }
    }

    private void disconnect(String why) {
        subscription.endpoint().disconnect(subscription.describe() + why);
    }
}

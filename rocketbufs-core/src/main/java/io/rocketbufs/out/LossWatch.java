package io.rocketbufs.out;

import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.LossState.Phase;
import java.util.function.Consumer;

/**
 * A watch that reports when one subscription begins to miss data, and when it stops missing data:
 *
 * <pre>
 *            data was skipped              nothing was skipped for 1 s
 *   CLEAR ---------------------&gt; LOSING -------------------------------&gt; CLEAR
 * </pre>
 *
 * The state also becomes CLEAR when the subscription ends.
 *
 * <p><b>Thread-safety:</b> used only on the worker of the subscription's connection.
 */
public final class LossWatch {
    private final SubscriptionMeters meters;
    private final long number;
    private final Consumer<LossState> listener;
    private long lostLength;
    /** Number of lost bytes when the episode began. */
    private long lostBefore;
    /** Milliseconds since data was last skipped. */
    private long freeMs;

    private boolean losing;
    private boolean ended;

    /**
     * Creates a watch of a subscription.
     *
     * @param number identifies the subscription in the reports
     * @param listener called at the beginning and at the end of an episode
     */
    public LossWatch(Subscription subscription, long number, Consumer<LossState> listener) {
        this.meters = subscription.meters();
        this.number = number;
        this.listener = listener;
    }

    /** Compares the number of skipped bytes with the number at the last call, {@code elapsedMs} milliseconds ago. */
    public void tick(long elapsedMs) {
        if (ended) {
            return;
        }
        long lost = meters.lostLength();
        if (lost != lostLength) {
            onLoss(lost);
        } else if (losing) {
            freeMs += elapsedMs;
            if (freeMs >= SlowEpisode.RECOVERY_MS) {
                losing = false;
                report(Phase.RECOVERED);
            }
        }
    }

    private void onLoss(long lost) {
        boolean begins = !losing;
        if (begins) {
            lostBefore = lostLength;
        }
        losing = true;
        freeMs = 0;
        lostLength = lost;
        if (begins) {
            report(Phase.BEGAN);
        }
    }

    /** Ends the watch, because the subscription has ended; later calls of {@link #tick} have no effect. */
    public void end() {
        tick(0);
        ended = true;
        if (losing) {
            losing = false;
            report(Phase.UNSUBSCRIBED);
        }
    }

    private void report(Phase phase) {
        listener.accept(new LossState(number, phase, meters.policy(), lostLength - lostBefore));
    }
}

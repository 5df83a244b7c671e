package io.rocketbufs.out;

import java.lang.invoke.VarHandle;

/**
 * The parts of the connections' credit that one buffer's deliveries use: one {@link CreditShare} for each subscription.
 *
 * <p><b>Thread-safety:</b> used by the producer; any thread may call {@link #isMissing} and {@link #isRefused}.
 */
final class ProducerCredit {
    private final Fanout fanout;
    private boolean usedUp;
    /** True if the last attempt to continue failed. */
    private volatile boolean refused;

    /** @param fanout the readers of the buffer */
    ProducerCredit(Fanout fanout) {
        this.fanout = fanout;
    }

    /** Called after each delivery, before it is sent, with the number of bytes of memory that the buffer uses. */
    void use(long length) {
        boolean none = false;
        for (Subscription subscription : fanout.subscriptions()) {
            CreditShare share = subscription.share();
            if (share.isActive()) {
                none |= share.use(length, fanout.log().end());
            }
        }
        usedUp = none;
        if (!none && refused) {
            // A segment that was open during the refusal has been delivered.
            refused = false;
        }
    }

    /** Returns true if a connection had no credit left after the last delivery, so the next delivery may not fit. */
    boolean isUsedUp() {
        return usedUp;
    }

    /**
     * Returns true if the connections allow another delivery. Otherwise, applies the slow rules of the subscriptions
     * that lack credit, requests reports of consumption, and requests that the owner be notified when another attempt
     * may succeed.
     */
    boolean tryContinue() {
        refused = !isAllowed();
        if (refused) {
            for (Subscription subscription : fanout.subscriptions()) {
                if (!subscription.share().allows()) {
                    relieve(subscription);
                }
            }
            VarHandle.fullFence();
            refused = !isAllowed();
        }
        return !refused;
    }

    private void relieve(Subscription subscription) {
        fanout.demand().apply(fanout.log().end(), subscription);
        if (subscription.share().await()) {
            subscription.look();
        }
    }

    /** Returns true if the last attempt to continue failed. */
    boolean isRefused() {
        return refused;
    }

    /** Returns true if the producer waits and another attempt would fail. */
    boolean isMissing() {
        return refused && !isAllowed();
    }

    private boolean isAllowed() {
        for (Subscription subscription : fanout.subscriptions()) {
            if (!subscription.share().allows()) {
                return false;
            }
        }
        return true;
    }
}

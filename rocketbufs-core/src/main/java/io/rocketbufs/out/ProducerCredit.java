package io.rocketbufs.out;

import java.lang.invoke.VarHandle;

/**
 * The credit of the connections that one buffer's deliveries use: a {@link CreditShare} of each subscription.
 *
 * <p><b>Thread-safety:</b> the producer; any thread calls {@link #isMissing}.
 */
final class ProducerCredit {
    private final Fanout fanout;
    private boolean usedUp;
    /** True when the last attempt to continue has failed. */
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
    }

    /** Returns true when a connection had no credit left after the last delivery, so that the next one may not fit. */
    boolean isUsedUp() {
        return usedUp;
    }

    /**
     * Returns true when the connections allow another delivery. Otherwise, applies the slow rules of the readers,
     * requests reports of consumption, and lets the owner be notified when another attempt may succeed.
     */
    boolean tryContinue() {
        refused = !isAllowed();
        if (refused) {
            fanout.relieve(fanout.log().end());
            for (Subscription subscription : fanout.subscriptions()) {
                CreditShare share = subscription.share();
                if (!share.allows() && share.await()) {
                    subscription.look();
                }
            }
            VarHandle.fullFence();
            refused = !isAllowed();
        }
        return !refused;
    }

    /** Returns true when the producer waits, and another attempt would fail. */
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

package io.rocketbufs.delivery;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportConnection;

/**
 * The word in which one subscription's peer keeps the position up to which it has consumed; or none, where the
 * transport cannot do that or no credit is needed.
 *
 * <p><b>Thread-safety:</b> taken back on the worker; the rest by anybody.
 */
final class CreditWord {
    private final LentWord lent;
    private final Subscription subscription;
    private final Credit credit;
    private final Runnable onConsumed;
    /** Nothing that is written is of interest any more. */
    private volatile boolean over;

    private boolean takenBack;

    /**
     * Keeps a word for a subscription.
     *
     * @param lent what {@link #lend} gave
     * @param onConsumed run when the peer has written something new
     */
    CreditWord(LentWord lent, Subscription subscription, Credit credit, Runnable onConsumed) {
        this.lent = lent;
        this.subscription = subscription;
        this.credit = credit;
        this.onConsumed = onConsumed;
        this.over = lent == null;
    }

    /** Lends the peer of a connection a word; null where it has no use for one. */
    static LentWord lend(TransportConnection connection, boolean flowControlled) {
        boolean possible = connection.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD);
        return possible && flowControlled ? connection.lendWord() : null;
    }

    /** What the peer needs to write. */
    RemoteAccess access() {
        return lent == null ? RemoteAccess.NONE : lent.access();
    }

    /** Takes note of what the peer has written. Nobody is told of that, so whoever depends on it looks. */
    void look() {
        if (over) {
            return;
        }
        long position = lent.value();
        if (position <= credit.consumedPosition()) {
            return;
        }
        if (credit.onWord(position)) {
            onConsumed.run();
        } else {
            over = true;
            subscription.endpoint().fail(subscription.wrongClaim(position));
        }
    }

    /** The peer has said that it writes no more, or cannot; what it wrote before that still counts. Repeatable. */
    void takeBack() {
        if (lent != null && !takenBack) {
            look();
            over = true;
            takenBack = true;
            lent.takeBack();
        }
    }
}

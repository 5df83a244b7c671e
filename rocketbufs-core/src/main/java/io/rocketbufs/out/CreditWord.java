package io.rocketbufs.out;

import io.rocketbufs.link.Link;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The word in which one subscription's peer keeps the position up to which it has consumed; or none, where the
 * transport cannot do that, no credit is needed, or no memory can be registered.
 *
 * <p><b>Thread-safety:</b> taken back on the worker; the rest by any thread.
 */
final class CreditWord {
    private static final Logger LOG = LoggerFactory.getLogger(CreditWord.class);

    private final LentWord lent;
    private final Subscription subscription;
    private final Runnable onConsumed;
    /** What is written is of no interest any more. */
    private volatile boolean over;

    private boolean takenBack;

    private CreditWord(LentWord lent, Subscription subscription, Runnable onConsumed) {
        this.lent = lent;
        this.subscription = subscription;
        this.onConsumed = onConsumed;
        this.over = lent == null;
    }

    /**
     * Lends the peer of a subscription a word, if it has a use for one. Without a word, the peer sends messages.
     *
     * @param onConsumed run when the peer has written something new
     */
    static CreditWord lentTo(Subscription subscription, boolean limited, Runnable onConsumed) {
        Link link = subscription.link();
        boolean possible = link.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD);
        LentWord lent = null;
        try {
            lent = possible && limited ? link.connection().lendWord() : null;
        } catch (TransportException e) {
            LOG.warn("{} reports its consumption in messages, which cost more: {}", link.peer(), e.getMessage());
        }
        return new CreditWord(lent, subscription, onConsumed);
    }

    /** Returns true when the peer has a word to write to. */
    boolean isLent() {
        return lent != null;
    }

    /** Returns what the peer needs to write. */
    RemoteAccess access() {
        return lent == null ? RemoteAccess.NONE : lent.access();
    }

    /** Notes what the peer has written. A write wakes no thread, so every thread that depends on it looks. */
    void look() {
        if (over) {
            return;
        }
        Credit credit = subscription.credit();
        long position = lent.value();
        if (position <= credit.consumedPosition()) {
            return;
        }
        if (credit.onWord(position)) {
            onConsumed.run();
        } else {
            over = true;
            subscription.link().fail(subscription.wrongClaim(position));
        }
    }

    /** Ends the peer's right to write; what it wrote before that still counts. Repeatable. */
    void takeBack() {
        if (lent != null && !takenBack) {
            look();
            over = true;
            takenBack = true;
            lent.takeBack();
        }
    }
}

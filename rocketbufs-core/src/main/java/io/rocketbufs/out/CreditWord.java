package io.rocketbufs.out;

import io.rocketbufs.link.Link;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import java.util.function.LongConsumer;
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
    private final Credit credit;
    private final Runnable onConsumed;
    private final LongConsumer onWrongClaim;
    /** What is written is of no interest any more. */
    private volatile boolean over;

    private boolean takenBack;

    /**
     * Keeps a word for a subscription.
     *
     * @param lent what {@link #lend} returned
     * @param onConsumed run when the peer has written something new
     * @param onWrongClaim called when the peer has written a position that it cannot have consumed
     */
    CreditWord(LentWord lent, Credit credit, Runnable onConsumed, LongConsumer onWrongClaim) {
        this.lent = lent;
        this.credit = credit;
        this.onConsumed = onConsumed;
        this.onWrongClaim = onWrongClaim;
        this.over = lent == null;
    }

    /** Lends the peer of a connection a word; null where it has no use for one, and then it sends messages. */
    static LentWord lend(Link link, boolean limited) {
        boolean possible = link.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD);
        try {
            return possible && limited ? link.connection().lendWord() : null;
        } catch (TransportException e) {
            LOG.warn("{} reports its consumption in messages, which cost more: {}", link.peer(), e.getMessage());
            return null;
        }
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
        long position = lent.value();
        if (position <= credit.consumedPosition()) {
            return;
        }
        if (credit.onWord(position)) {
            onConsumed.run();
        } else {
            over = true;
            onWrongClaim.accept(position);
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

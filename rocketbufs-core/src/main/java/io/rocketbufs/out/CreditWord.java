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
 * The word of local memory to which a subscription's peer writes its consumed position. The subscription has no word if
 * the transport does not support words or has already lent all of them, if no credit is needed, or if no memory can be
 * registered.
 *
 * <p><b>Thread-safety:</b> {@link #takeBack} must be called on the worker. Any thread may call the other methods.
 */
final class CreditWord {
    private static final Logger LOG = LoggerFactory.getLogger(CreditWord.class);

    private final LentWord lent;
    private final Credit credit;
    private final Runnable onConsumed;
    private final LongConsumer onWrongClaim;
    /** True if further writes to the word are ignored. */
    private volatile boolean over;

    private boolean takenBack;

    /**
     * Creates the word of a subscription.
     *
     * @param lent the result of {@link #lend}
     * @param onConsumed run when the peer has written a new position
     * @param onWrongClaim called with the position that the peer has written if the peer cannot have consumed all data
     *     before it
     */
    CreditWord(LentWord lent, Credit credit, Runnable onConsumed, LongConsumer onWrongClaim) {
        this.lent = lent;
        this.credit = credit;
        this.onConsumed = onConsumed;
        this.onWrongClaim = onWrongClaim;
        this.over = lent == null;
    }

    /**
     * Lends a word to a connection's peer; returns null if the peer reports no consumption, or reports it in messages,
     * for example because the transport has no more words.
     */
    static LentWord lend(Link link, boolean limited) {
        boolean possible = link.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD);
        try {
            return possible && limited ? link.connection().lendWord() : null;
        } catch (TransportException e) {
            if (e.code() != TransportException.Code.CLOSED) {
                LOG.warn(
                        "{} reports consumption in messages, which cost more than writing a word: {}",
                        link.peer(),
                        e.getMessage());
            }
            return null;
        }
    }

    /** Returns the access that the peer needs to write the word. */
    RemoteAccess access() {
        return lent == null ? RemoteAccess.NONE : lent.access();
    }

    /**
     * Reads the word. The peer's write wakes no thread, so every thread that depends on the word must call this method.
     */
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

    /** Ends the peer's access to the word. A position that the peer has already written still counts. Idempotent. */
    void takeBack() {
        if (lent != null && !takenBack) {
            look();
            over = true;
            takenBack = true;
            lent.takeBack();
        }
    }
}

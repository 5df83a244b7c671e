package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;

/**
 * How consumed positions get from the receiver to the sender: into a word that the sender has lent, or by messages.
 * Answers are always messages, because nobody is told of a word.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class CreditLine {
    private final Link link;
    private final LentWord lent;
    private final RemoteAccess word;
    private long told;

    private CreditLine(Link link, LentWord lent, RemoteAccess word) {
        this.link = link;
        this.lent = lent;
        this.word = word;
    }

    /** The sender's end; {@code lent} is null where all is told by messages. */
    static CreditLine sender(Link link, LentWord lent) {
        return new CreditLine(link, lent, RemoteAccess.NONE);
    }

    /** The receiver's end; {@code word} is NONE where all is told by messages. */
    static CreditLine receiver(Link link, RemoteAccess word) {
        return new CreditLine(link, null, word);
    }

    /** Receiver: reports a position; false when that has to be tried again. */
    boolean report(long position, boolean answer) {
        if (answer || word.equals(RemoteAccess.NONE)) {
            link.tell(answer ? BenchMessage.ANSWER : BenchMessage.CREDIT, position, 0);
            return true;
        }
        return link.connection().writeWord(word, position) != PostResult.NO_WINDOW;
    }

    /** Sender: a report came as a message. */
    void told(long position) {
        told = Math.max(told, position);
    }

    /** Sender: the newest position that is known. */
    long consumed() {
        return lent == null ? told : Math.max(told, lent.value());
    }
}

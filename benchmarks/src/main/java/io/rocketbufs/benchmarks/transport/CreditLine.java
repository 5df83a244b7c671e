package io.rocketbufs.benchmarks.transport;

/**
 * How consumed positions get from the receiver to the sender: the one place to change when the transport interface has
 * words to write them into.
 *
 * <p>With words, {@link CreditKind#WORD}: the sender lends one in {@link Greeting} and tells its address and key;
 * {@link #report} writes it unless it answers a question; {@link #consumed} gives the greater of the word and of what
 * was told by message. Until then every report is a message.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class CreditLine {
    private final Link link;
    private long told;

    CreditLine(Link link, CreditKind kind) {
        if (kind == CreditKind.WORD) {
            throw new IllegalArgumentException("credit=word: the transport interface has no words");
        }
        this.link = link;
    }

    /** Receiver: reports a position. */
    void report(long position, boolean answer) {
        link.tell(answer ? BenchMessage.ANSWER : BenchMessage.CREDIT, position, 0);
    }

    /** Sender: a report came as a message. */
    void told(long position) {
        told = Math.max(told, position);
    }

    /** Sender: the newest position that is known. */
    long consumed() {
        return told;
    }
}

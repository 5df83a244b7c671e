package io.rocketbufs.benchmarks.transport;

/** How the receiver's consumed position gets to the sender. */
enum CreditKind {
    /** Written into a word of the sender; its questions are answered by messages. */
    WORD,
    /** By messages alone. */
    SEND
}

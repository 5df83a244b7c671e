package io.rocketbufs.rbmq.broker;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the messages of groups that a member did not consume.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class GroupCounts {
    private final LongAdder redelivered = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder discardedLength = new LongAdder();

    /** Counts messages that another member receives. */
    void redelivered(long count) {
        redelivered.add(count);
    }

    /** Counts a malformed message, which ends the connection of its publisher. */
    void malformed() {
        malformed.increment();
    }

    long malformedCount() {
        return malformed.sum();
    }

    /** Counts bytes that no member receives. */
    void discarded(long length) {
        discardedLength.add(length);
    }

    long redeliveredCount() {
        return redelivered.sum();
    }

    long discardedLength() {
        return discardedLength.sum();
    }
}

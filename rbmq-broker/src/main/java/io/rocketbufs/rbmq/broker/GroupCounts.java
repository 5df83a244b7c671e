package io.rocketbufs.rbmq.broker;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of group messages that a member did not consume.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class GroupCounts {
    private final LongAdder redelivered = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder discardedLength = new LongAdder();

    /** Counts messages that are redelivered to another member. */
    void redelivered(long count) {
        redelivered.add(count);
    }

    /** Counts a malformed message, which causes its publisher to be disconnected. */
    void malformed() {
        malformed.increment();
    }

    long malformedCount() {
        return malformed.sum();
    }

    /** Counts bytes that are discarded without having been consumed by a member. */
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

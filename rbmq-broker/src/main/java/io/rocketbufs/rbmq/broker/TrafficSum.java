package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.SubscriptionState;

/**
 * A running sum of numbers of bytes and transfers.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TrafficSum {
    private long receivedLength;
    private long receivedCount;
    private long sentLength;
    private long sentCount;
    private long lostLength;

    /** Adds data received from a publisher. */
    synchronized void addReceived(long length, long transferCount) {
        receivedLength += length;
        receivedCount += transferCount;
    }

    /** Adds the data sent to a subscriber and the bytes skipped for it. */
    synchronized void addSent(SubscriptionState subscription) {
        sentLength += subscription.sentLength();
        sentCount += subscription.transferCount();
        lostLength += subscription.lostLength();
    }

    /** Adds other numbers. */
    synchronized void add(Traffic other) {
        receivedLength += other.receivedLength();
        receivedCount += other.receivedCount();
        sentLength += other.sentLength();
        sentCount += other.sentCount();
        lostLength += other.lostLength();
    }

    /** Returns the current numbers. */
    synchronized Traffic read() {
        return new Traffic(receivedLength, receivedCount, sentLength, sentCount, lostLength);
    }
}

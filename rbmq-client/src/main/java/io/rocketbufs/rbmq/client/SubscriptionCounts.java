package io.rocketbufs.rbmq.client;

/**
 * The counters of one subscription, or the totals of several subscriptions that have ended.
 *
 * <p><b>Thread-safety:</b> any thread may read. A subscription's received messages and malformed buffers are counted
 * only by the connection's worker. Other events are counted under a lock, because an executor counts them, too. Totals
 * change under their owner's lock. No increment is therefore lost.
 */
final class SubscriptionCounts {
    private volatile long receivedCount;
    private volatile long receivedLength;
    private volatile long lostLength;
    private volatile long unknownGapCount;
    private volatile long malformedCount;
    private volatile long failedCount;

    void received(long count, long length) {
        receivedCount += count;
        receivedLength += length;
    }

    synchronized void lost(long length) {
        lostLength += length;
    }

    synchronized void missed(Gap gap) {
        if (gap.isKnown()) {
            lostLength += gap.lostLength();
        } else {
            unknownGapCount++;
        }
    }

    void malformed() {
        malformedCount++;
    }

    synchronized void failed() {
        failedCount++;
    }

    void add(SubscriptionCounts other) {
        receivedCount += other.receivedCount;
        receivedLength += other.receivedLength;
        lostLength += other.lostLength;
        unknownGapCount += other.unknownGapCount;
        malformedCount += other.malformedCount;
        failedCount += other.failedCount;
    }

    long receivedCount() {
        return receivedCount;
    }

    long receivedLength() {
        return receivedLength;
    }

    long lostLength() {
        return lostLength;
    }

    long unknownGapCount() {
        return unknownGapCount;
    }

    long malformedCount() {
        return malformedCount;
    }

    long failedCount() {
        return failedCount;
    }
}

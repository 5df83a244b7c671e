package io.rocketbufs.rbmq.client;

/**
 * A subscriber's counters.
 *
 * <p><b>Thread-safety:</b> any thread reads; only the connection's worker writes, so no increment is lost.
 */
final class SubscriberCounts {
    private volatile long receivedCount;
    private volatile long receivedLength;
    private volatile long lostLength;
    private volatile long malformedCount;
    private volatile long failedCount;

    void received(long count, long length) {
        receivedCount += count;
        receivedLength += length;
    }

    void lost(long length) {
        lostLength += length;
    }

    void malformed() {
        malformedCount++;
    }

    void failed() {
        failedCount++;
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

    long malformedCount() {
        return malformedCount;
    }

    long failedCount() {
        return failedCount;
    }
}

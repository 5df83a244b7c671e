package io.rocketbufs.rbmq.broker;

/**
 * Total numbers of bytes and transfers since a given point in time.
 *
 * @param receivedLength bytes received from publishers, including headers
 * @param receivedCount number of transfers in which these bytes arrived
 * @param sentLength bytes sent to subscribers
 * @param sentCount number of transfers in which these bytes were sent
 * @param lostLength bytes that were skipped for subscribers
 */
record Traffic(long receivedLength, long receivedCount, long sentLength, long sentCount, long lostLength) {
    static final Traffic NONE = new Traffic(0, 0, 0, 0, 0);

    /** Returns these numbers minus the other numbers; 0 where the other number is higher. */
    Traffic minus(Traffic other) {
        return new Traffic(
                Math.max(0, receivedLength - other.receivedLength),
                Math.max(0, receivedCount - other.receivedCount),
                Math.max(0, sentLength - other.sentLength),
                Math.max(0, sentCount - other.sentCount),
                Math.max(0, lostLength - other.lostLength));
    }

    /** Returns the maximum of both, number by number, for counters that must not decrease. */
    Traffic max(Traffic other) {
        return new Traffic(
                Math.max(receivedLength, other.receivedLength),
                Math.max(receivedCount, other.receivedCount),
                Math.max(sentLength, other.sentLength),
                Math.max(sentCount, other.sentCount),
                Math.max(lostLength, other.lostLength));
    }
}

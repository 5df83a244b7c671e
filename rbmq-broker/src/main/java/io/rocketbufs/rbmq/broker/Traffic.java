package io.rocketbufs.rbmq.broker;

/**
 * Numbers of bytes and transfers since some start.
 *
 * @param receivedLength bytes received from publishers, including headers
 * @param receivedCount transfers in which they arrived
 * @param sentLength bytes sent to subscribers
 * @param sentCount transfers in which they were sent
 * @param lostLength bytes that were skipped for subscribers
 */
record Traffic(long receivedLength, long receivedCount, long sentLength, long sentCount, long lostLength) {
    static final Traffic NONE = new Traffic(0, 0, 0, 0, 0);

    /** Returns the sums. */
    Traffic plus(Traffic other) {
        return new Traffic(
                receivedLength + other.receivedLength,
                receivedCount + other.receivedCount,
                sentLength + other.sentLength,
                sentCount + other.sentCount,
                lostLength + other.lostLength);
    }

    /** Returns these numbers without another's; 0 where the other's is higher. */
    Traffic minus(Traffic other) {
        return new Traffic(
                Math.max(0, receivedLength - other.receivedLength),
                Math.max(0, receivedCount - other.receivedCount),
                Math.max(0, sentLength - other.sentLength),
                Math.max(0, sentCount - other.sentCount),
                Math.max(0, lostLength - other.lostLength));
    }

    /** Returns the higher one of each number, for a counter that must not decrease. */
    Traffic max(Traffic other) {
        return other.plus(minus(other));
    }
}

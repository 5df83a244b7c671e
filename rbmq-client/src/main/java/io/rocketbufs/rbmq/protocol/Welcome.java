package io.rocketbufs.rbmq.protocol;

/**
 * The introduction that a broker sends to each client at the beginning of a connection.
 *
 * @param version the broker's version of the protocol between clients and broker
 * @param features the optional parts of the protocol that the broker supports, one bit each; a client ignores bits that
 *     it does not know
 * @param brokerId random number that the broker chose when it was started; it shows a client that reconnects whether it
 *     has reached the same broker
 * @param maxCapacity capacity of the largest buffer that a publisher may announce, in bytes
 * @param longestMessage length of the longest message that such a buffer can hold, in bytes
 */
public record Welcome(int version, long features, long brokerId, long maxCapacity, long longestMessage) {
    /** Returns the welcome of a broker of this version. */
    public static Welcome of(long brokerId, long maxCapacity) {
        return new Welcome(
                GreetingLayout.VERSION, Features.SUPPORTED, brokerId, maxCapacity, MessageLayout.longest(maxCapacity));
    }
}

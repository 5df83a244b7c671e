package io.rocketbufs.rbmq.protocol;

/**
 * The message with which a broker introduces itself to each client at the beginning of a connection.
 *
 * @param version the broker's version of the protocol between clients and broker
 * @param features the optional parts of the protocol that the broker supports, one bit each; a client ignores bits that
 *     it does not recognize
 * @param brokerId random number that the broker chose when it was started, by which a reconnecting client recognizes
 *     the same broker
 * @param maxCapacity capacity of the largest buffer that a publisher may announce, in bytes
 * @param longestMessage length of the longest message that such a buffer can hold, in bytes
 * @param inbox topic for the replies to this client's requests, to which only this connection can subscribe; empty for
 *     a publisher, and if the broker does not support requests
 */
public record Welcome(int version, long features, long brokerId, long maxCapacity, long longestMessage, String inbox) {
    /** Creates a welcome without an inbox. */
    public Welcome(int version, long features, long brokerId, long maxCapacity, long longestMessage) {
        this(version, features, brokerId, maxCapacity, longestMessage, "");
    }

    /** Returns the welcome of a broker of this version, without an inbox. */
    public static Welcome of(long brokerId, long maxCapacity) {
        return new Welcome(
                GreetingLayout.VERSION, Features.SUPPORTED, brokerId, maxCapacity, MessageLayout.longest(maxCapacity));
    }

    /** Returns a copy with the given inbox. */
    public Welcome withInbox(String newInbox) {
        return new Welcome(version, features, brokerId, maxCapacity, longestMessage, newInbox);
    }
}

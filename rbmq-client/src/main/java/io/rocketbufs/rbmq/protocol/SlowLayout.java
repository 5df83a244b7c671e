package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;

/**
 * Body of SLOW: the id of a topic's buffer, the number of subscribers that delay its publisher, and two numbers about
 * the subscriber whose delay has started or ended. These are the number of bytes that wait for it in the broker, and
 * the time in milliseconds for which it has delayed the publisher.
 *
 * <pre>
 *  0           4             8                16             24
 *  +-----------+-------------+----------------+--------------+
 *  | buffer id | subscribers | waiting length | delay in ms  |
 *  +-----------+-------------+----------------+--------------+
 * </pre>
 *
 * In a message to a subscriber, the id is the broker's, and the number is 1 if this subscriber delays the publisher,
 * otherwise 0. In a message to a publisher, the id is the publisher's.
 */
public final class SlowLayout {
    static final int LENGTH = 24;
    private static final int COUNT = 4;
    private static final int PENDING = 8;
    private static final int DELAY = 16;

    private SlowLayout() {}

    /** Writes an entire message. */
    public static ByteBuffer write(int bufferId, int subscriberCount, long pendingLength, long delayMs) {
        return RbmqLayout.begin(RbmqType.SLOW, LENGTH)
                .putInt(bufferId)
                .putInt(subscriberCount)
                .putLong(pendingLength)
                .putLong(delayMs)
                .flip();
    }

    /** Returns the id of the buffer. */
    public static int bufferId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /**
     * Returns the number of subscribers that delay the publisher, 0 or more.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the number is negative
     */
    public static int subscriberCount(ByteBuffer body) {
        int count = body.getInt(body.position() + COUNT);
        if (count < 0) {
            throw RbmqLayout.violation("SLOW has a negative subscriberCount=" + count);
        }
        return count;
    }

    /** Returns the number of bytes that wait in the broker; a negative number from the broker counts as 0. */
    public static long pendingLength(ByteBuffer body) {
        return Math.max(0, body.getLong(body.position() + PENDING));
    }

    /**
     * Returns the time that the publisher has waited, in milliseconds; a negative number from the broker counts as 0.
     */
    public static long delayMs(ByteBuffer body) {
        return Math.max(0, body.getLong(body.position() + DELAY));
    }
}

package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;

/**
 * Body of INTEREST: the publisher's id for a topic's buffer, and the number of the topic's subscribers.
 *
 * <pre>
 *  0           4             8
 *  +-----------+-------------+
 *  | buffer id | subscribers |
 *  +-----------+-------------+
 * </pre>
 */
public final class InterestLayout {
    static final int LENGTH = 8;
    private static final int SUBSCRIBERS = 4;

    private InterestLayout() {}

    /** Writes an entire message. */
    public static ByteBuffer write(int bufferId, int subscriberCount) {
        return RbmqLayout.begin(RbmqType.INTEREST, LENGTH)
                .putInt(bufferId)
                .putInt(subscriberCount)
                .flip();
    }

    /** Returns the publisher's id for the buffer. */
    public static int bufferId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /**
     * Returns the number of subscribers, 0 or more.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the number is negative
     */
    public static int subscriberCount(ByteBuffer body) {
        int count = body.getInt(body.position() + SUBSCRIBERS);
        if (count < 0) {
            throw RbmqLayout.violation("INTEREST has a negative subscriberCount=" + count);
        }
        return count;
    }
}

package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;

/**
 * Body of ANNOUNCE: the publisher's id for the topic's buffer, the publisher's requests, the capacity of that buffer in
 * 56 bits, and the topic, which fills the rest of the message.
 *
 * <pre>
 *  0           4          5          12
 *  +-----------+----------+----------+----------
 *  | buffer id | requests | capacity | topic …
 *  +-----------+----------+----------+----------
 * </pre>
 *
 * Bit 0 of the requests asks the broker to keep the last message, and requires {@link Features#KEPT}. All other bits
 * are 0.
 */
public final class AnnounceLayout {
    static final int FIXED_LENGTH = 12;

    private static final int REQUESTS_SHIFT = 56;
    private static final long KEEP_LAST = 1L << REQUESTS_SHIFT;

    private AnnounceLayout() {}

    /** Writes an entire message without requests. */
    public static ByteBuffer write(int bufferId, long capacity, String topic) {
        return write(bufferId, capacity, false, topic);
    }

    /** Writes an entire message; the capacity has at most 56 bits. */
    public static ByteBuffer write(int bufferId, long capacity, boolean keepsLast, String topic) {
        byte[] name = TopicName.encodeOrInbox(topic);
        return RbmqLayout.begin(RbmqType.ANNOUNCE, FIXED_LENGTH + name.length)
                .putInt(bufferId)
                .putLong(keepsLast ? capacity | KEEP_LAST : capacity)
                .put(name)
                .flip();
    }

    /** Returns the publisher's id for the buffer. */
    public static int bufferId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /**
     * Returns the capacity of the publisher's buffer in bytes. If the message contains unknown requests, the result is
     * negative or exceeds the capacity of any broker.
     */
    public static long capacity(ByteBuffer body) {
        return field(body) & ~KEEP_LAST;
    }

    /** Returns true if the publisher asks the broker to keep the last message. */
    public static boolean keepsLast(ByteBuffer body) {
        return (field(body) & KEEP_LAST) != 0;
    }

    private static long field(ByteBuffer body) {
        return body.getLong(body.position() + 4);
    }

    /**
     * Returns the topic.
     *
     * @throws IllegalArgumentException when the topic's name is invalid
     */
    public static String topic(ByteBuffer body) {
        return TopicName.decodeOrInbox(body.duplicate().position(body.position() + FIXED_LENGTH));
    }
}

package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;

/**
 * Body of ANNOUNCE: the publisher's id for the topic's buffer, that buffer's capacity, and the topic, which fills the
 * rest of the message.
 *
 * <pre>
 *  0           4            12
 *  +-----------+------------+----------
 *  | buffer id |  capacity  | topic …
 *  +-----------+------------+----------
 * </pre>
 */
public final class AnnounceLayout {
    static final int FIXED_LENGTH = 12;

    private AnnounceLayout() {}

    /** Writes a whole message. */
    public static ByteBuffer write(int bufferId, long capacity, String topic) {
        byte[] name = TopicName.encodeOrInbox(topic);
        return RbmqLayout.begin(RbmqType.ANNOUNCE, FIXED_LENGTH + name.length)
                .putInt(bufferId)
                .putLong(capacity)
                .put(name)
                .flip();
    }

    /** Returns the publisher's id for the buffer. */
    public static int bufferId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the capacity of the publisher's buffer in bytes. */
    public static long capacity(ByteBuffer body) {
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

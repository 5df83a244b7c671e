package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Body of TOPIC_BUFFERS and KEPT: the subscription, one topic that matches its filter, and this topic's buffers as
 * entries of {@link BuffersLayout}. The length of the topic is an unsigned byte.
 *
 * <pre>
 *  0              4              5         5+n         9+n         13+n       21+n
 *  +--------------+--------------+---------+-----------+-----------+----------+-----------
 *  | subscription | topic length | topic … | buffer id | publisher | capacity | buffer id …
 *  +--------------+--------------+---------+-----------+-----------+----------+-----------
 * </pre>
 */
public final class TopicBuffersLayout {
    static final int FIXED_LENGTH = 5;
    private static final int TOPIC_LENGTH = 4;

    private TopicBuffersLayout() {}

    /** Writes an entire TOPIC_BUFFERS message for at most {@link BuffersLayout#MAX_COUNT} buffers. */
    public static ByteBuffer write(int subscription, String topic, List<BuffersLayout.Entry> entries) {
        return write(RbmqType.TOPIC_BUFFERS, subscription, topic, entries);
    }

    /** Writes an entire KEPT message for one buffer. */
    public static ByteBuffer writeKept(int subscription, String topic, BuffersLayout.Entry entry) {
        return write(RbmqType.KEPT, subscription, topic, List.of(entry));
    }

    private static ByteBuffer write(RbmqType type, int subscription, String topic, List<BuffersLayout.Entry> entries) {
        byte[] name = TopicName.encode(topic);
        ByteBuffer message =
                RbmqLayout.begin(type, FIXED_LENGTH + name.length + entries.size() * BuffersLayout.ENTRY_LENGTH);
        message.putInt(subscription).put((byte) name.length).put(name);
        entries.forEach(entry -> BuffersLayout.putEntry(message, entry));
        return message.flip();
    }

    /** Returns the subscriber's number for the subscription. */
    public static int subscription(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /**
     * Returns the topic.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the topic's name is truncated or invalid
     */
    public static String topic(ByteBuffer body) {
        int start = body.position() + FIXED_LENGTH;
        int length = topicLength(body);
        if (length > body.limit() - start) {
            throw RbmqLayout.violation("a list of buffers with a topic of " + length + " bytes, cut off after "
                    + (body.limit() - start) + " bytes");
        }
        try {
            return TopicName.decode(body.duplicate().limit(start + length).position(start));
        } catch (IllegalArgumentException e) {
            throw RbmqLayout.violation("a list of buffers with an invalid name: " + e.getMessage());
        }
    }

    /** Returns the number of buffers in a message whose topic has already been read. */
    public static int count(ByteBuffer body) {
        return (body.limit() - entries(body)) / BuffersLayout.ENTRY_LENGTH;
    }

    /** Returns one of the buffers. */
    public static BuffersLayout.Entry entry(ByteBuffer body, int i) {
        return BuffersLayout.entryAt(body, entries(body) + i * BuffersLayout.ENTRY_LENGTH);
    }

    private static int entries(ByteBuffer body) {
        return body.position() + FIXED_LENGTH + topicLength(body);
    }

    private static int topicLength(ByteBuffer body) {
        return body.get(body.position() + TOPIC_LENGTH) & 0xff;
    }
}

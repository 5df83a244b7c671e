package io.rocketbufs.examples;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The layout of messages between publishers and subscribers of {@link ListingThreeBroker}. All numbers are big-endian.
 *
 * <pre>
 * a message of a topic
 *  0          4          8
 * +----------+----------+---------------
 * | topic id | length   | text (UTF-8) ...
 * +----------+----------+---------------
 *
 * the control message that announces a topic
 *  0           4
 * +-----------+---------------
 * | buffer id | topic (UTF-8) ...
 * +-----------+---------------
 * </pre>
 *
 * <p>The hash of a topic's name is the id of both the topic and the buffer that carries it.
 */
final class TopicMessageLayout {
    static final int HEADER_LENGTH = 8;
    private static final int LENGTH_OFFSET = 4;

    private TopicMessageLayout() {}

    static int topicId(String topic) {
        return topic.hashCode();
    }

    static ByteBuffer announcement(String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + name.length)
                .putInt(topicId(topic))
                .put(name)
                .flip();
    }

    /**
     * Writes a message to a segment. The segment's length must be the length of the header plus the length of the text.
     */
    static void write(Segment segment, int topicId, byte[] text) {
        segment.putInt(0, topicId);
        segment.putInt(LENGTH_OFFSET, text.length);
        segment.put(HEADER_LENGTH, text, 0, text.length);
    }

    /** Returns the text of the message that starts at the given index of a segment. */
    static byte[] text(Segment segment, long index) {
        byte[] text = new byte[segment.getInt(index + LENGTH_OFFSET)];
        segment.get(index + HEADER_LENGTH, text, 0, text.length);
        return text;
    }
}

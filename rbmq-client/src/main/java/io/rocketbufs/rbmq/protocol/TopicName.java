package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The rules for a topic's name: 1 to 255 bytes of UTF-8 without control characters.
 *
 * <p>The characters {@code +} and {@code #} and names that begin with {@code $} are reserved: no topic has such a name.
 * A later version can therefore give them a meaning, such as a wildcard, without changing the meaning of a name in use.
 */
public final class TopicName {
    /** Length of the longest name, in bytes of UTF-8. */
    public static final int MAX_LENGTH = 255;

    private TopicName() {}

    /**
     * Encodes a name.
     *
     * @throws IllegalArgumentException when the name is invalid
     */
    public static byte[] encode(String topic) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(topic));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            check(topic, bytes.length);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("topic=\"" + topic + "\" is not well-formed Unicode", e);
        }
    }

    /**
     * Decodes the remaining bytes of a buffer.
     *
     * @throws IllegalArgumentException when the bytes are not a valid name
     */
    public static String decode(ByteBuffer bytes) {
        int length = bytes.remaining();
        try {
            String topic = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            check(topic, length);
            return topic;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a topic's name is not UTF-8", e);
        }
    }

    private static void check(String topic, int length) {
        if (length < 1 || length > MAX_LENGTH) {
            throw new IllegalArgumentException("topic.length=" + length + " is not in the range 1 to " + MAX_LENGTH);
        }
        if (topic.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("topic=\"" + PlainText.of(topic) + "\" contains a control character");
        }
        if (topic.startsWith("$")) {
            throw new IllegalArgumentException("topic=\"" + topic + "\" begins with $; such names are reserved");
        }
        if (topic.indexOf('+') >= 0 || topic.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "topic=\"" + topic + "\" contains + or #; topic names must not contain these reserved characters");
        }
    }
}

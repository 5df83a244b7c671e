package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.text.PlainText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The rules for a topic's name: 1 to 255 bytes of UTF-8 without control characters.
 *
 * <p>The characters {@code +} and {@code #} are the wildcards of a {@link TopicFilter}. Names that begin with {@code $}
 * are reserved: the only topics with such names are inboxes ({@link InboxName}). Methods with {@code OrInbox} in their
 * names accept inboxes, too.
 */
public final class TopicName {
    /** Maximum length of a name, in bytes of UTF-8. */
    public static final int MAX_LENGTH = 255;

    private TopicName() {}

    /**
     * Encodes a name.
     *
     * @throws IllegalArgumentException when the name is invalid
     */
    public static byte[] encode(String topic) {
        byte[] bytes = utf8("topic", topic);
        check(topic, bytes.length);
        return bytes;
    }

    /**
     * Decodes the remaining bytes of a buffer.
     *
     * @throws IllegalArgumentException when the bytes are not a valid name
     */
    public static String decode(ByteBuffer bytes) {
        int length = bytes.remaining();
        String topic = text(bytes);
        check(topic, length);
        return topic;
    }

    /**
     * Encodes the name of a topic or an inbox.
     *
     * @throws IllegalArgumentException when the name is invalid
     */
    static byte[] encodeOrInbox(String topic) {
        return InboxName.is(topic) ? topic.getBytes(StandardCharsets.US_ASCII) : encode(topic);
    }

    /**
     * Decodes the remaining bytes of a buffer, which may be the name of an inbox.
     *
     * @throws IllegalArgumentException when the bytes are not a valid name
     */
    static String decodeOrInbox(ByteBuffer bytes) {
        int length = bytes.remaining();
        String topic = text(bytes);
        if (!InboxName.is(topic)) {
            check(topic, length);
        }
        return topic;
    }

    private static void check(String topic, int length) {
        checkText("topic", topic, length);
        if (topic.indexOf('+') >= 0 || topic.indexOf('#') >= 0) {
            throw new IllegalArgumentException("topic=\"" + topic
                    + "\" contains + or #, the wildcards of filters; topic names must not contain these characters");
        }
    }

    /**
     * Encodes a name or a filter.
     *
     * @param what the kind of text, for the error message
     * @throws IllegalArgumentException when the text is not well-formed Unicode
     */
    static byte[] utf8(String what, String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(what + "=\"" + text + "\" is not well-formed Unicode", e);
        }
    }

    /**
     * Decodes the remaining bytes of a buffer.
     *
     * @throws IllegalArgumentException when the bytes are not UTF-8
     */
    static String text(ByteBuffer bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a topic's name is not UTF-8", e);
        }
    }

    /**
     * Checks the rules that names and filters share.
     *
     * @param what the kind of text, for the error message
     * @param length the text's length in bytes of UTF-8
     * @throws IllegalArgumentException when the text is invalid; the message states the rule that it breaks
     */
    static void checkText(String what, String text, int length) {
        if (length < 1 || length > MAX_LENGTH) {
            throw new IllegalArgumentException(what + ".length=" + length + " is not in the range 1 to " + MAX_LENGTH);
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw new IllegalArgumentException(
                        what + "=\"" + PlainText.of(text) + "\" contains a control character");
            }
        }
        if (text.startsWith("$")) {
            throw new IllegalArgumentException(what + "=\"" + text + "\" begins with $; such names are reserved");
        }
    }
}

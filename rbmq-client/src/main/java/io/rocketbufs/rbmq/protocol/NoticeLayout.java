package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.text.PlainText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Body of all message types without a separate layout: three numbers, each 0 if unused, and a human-readable text of at
 * most 1,024 bytes of UTF-8, which fills the rest of the message.
 *
 * <pre>
 *  0              4           8           12
 *  +--------------+-----------+-----------+---------
 *  | subscription | buffer id | publisher | text …
 *  +--------------+-----------+-----------+---------
 * </pre>
 */
public final class NoticeLayout {
    static final int FIXED_LENGTH = 12;
    private static final int MAX_TEXT_LENGTH = 1024;

    private NoticeLayout() {}

    /** Writes an entire message about a subscription to a topic. */
    public static ByteBuffer ofSubscription(RbmqType type, int subscription, String text) {
        return write(type, subscription, 0, 0, text);
    }

    /** Writes an entire message about a publisher's buffer. */
    public static ByteBuffer ofBuffer(RbmqType type, int bufferId, int publisher, String text) {
        return write(type, 0, bufferId, publisher, text);
    }

    /** Writes an entire message about a publisher's buffer within a subscription to a topic. */
    public static ByteBuffer write(RbmqType type, int subscription, int bufferId, int publisher, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        byte[] limited = utf8.length > MAX_TEXT_LENGTH ? Arrays.copyOf(utf8, MAX_TEXT_LENGTH) : utf8;
        return RbmqLayout.begin(type, FIXED_LENGTH + limited.length)
                .putInt(subscription)
                .putInt(bufferId)
                .putInt(publisher)
                .put(limited)
                .flip();
    }

    /** Returns the subscriber's number for the subscription. */
    public static int subscription(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the buffer's id. */
    public static int bufferId(ByteBuffer body) {
        return body.getInt(body.position() + 4);
    }

    /** Returns the publisher's number. */
    public static int publisher(ByteBuffer body) {
        return body.getInt(body.position() + 8);
    }

    /** Returns the text without control characters. */
    public static String text(ByteBuffer body) {
        byte[] utf8 = new byte[Math.min(MAX_TEXT_LENGTH, body.remaining() - FIXED_LENGTH)];
        body.get(body.position() + FIXED_LENGTH, utf8);
        return PlainText.of(utf8);
    }
}

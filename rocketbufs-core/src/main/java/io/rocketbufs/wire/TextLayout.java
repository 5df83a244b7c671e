package io.rocketbufs.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Body of messages that explain: a number and a sentence for people.
 *
 * <pre>
 *  0            4
 *  +------------+-------------
 *  | tag or 0   | UTF-8 text …
 *  +------------+-------------
 * </pre>
 */
public final class TextLayout {
    /** Bytes before the text. */
    public static final int FIXED_LENGTH = 4;
    /** Longest body that is accepted. */
    public static final int MAX_LENGTH = 1024;
    /** Longest body that is sent: with the header it fits a transport's slot of 1 KiB. */
    public static final int MAX_WRITTEN_LENGTH = 1016;

    private TextLayout() {}

    /** Writes the body at the buffer's position; a text that is too long is cut. */
    public static void put(ByteBuffer message, int tag, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        message.putInt(tag).put(Arrays.copyOf(bytes, Math.min(bytes.length, MAX_WRITTEN_LENGTH - FIXED_LENGTH)));
    }

    /** The subscription, where there is one. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** The text, made safe for a log line. */
    public static String text(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining() - FIXED_LENGTH];
        body.get(body.position() + FIXED_LENGTH, bytes);
        return new String(bytes, StandardCharsets.UTF_8).replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }
}

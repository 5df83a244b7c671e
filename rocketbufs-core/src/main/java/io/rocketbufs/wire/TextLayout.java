package io.rocketbufs.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The body of messages that carry an explanation: a tag and a text.
 *
 * <pre>
 *  0            4
 *  +------------+-------------
 *  | tag or 0   | UTF-8 text …
 *  +------------+-------------
 * </pre>
 *
 * In a GOODBYE that refuses a connection, the tag is {@link #TEMPORARY} if a later attempt may succeed.
 */
public final class TextLayout {
    /** Length in bytes of the part before the text. */
    public static final int FIXED_LENGTH = 4;
    /** Maximum accepted length of the body in bytes. */
    public static final int MAX_LENGTH = 1024;
    /**
     * Maximum length of a body that is sent, in bytes. Including its header, such a body fits into a transport's 1 KiB
     * slot.
     */
    public static final int MAX_WRITTEN_LENGTH = 1016;

    /** The tag of a GOODBYE that refuses a connection temporarily. */
    public static final int TEMPORARY = 1;

    private TextLayout() {}

    /** Writes the body at the buffer's position, and truncates the text if it is too long. */
    public static void put(ByteBuffer message, int tag, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        message.putInt(tag).put(Arrays.copyOf(bytes, Math.min(bytes.length, MAX_WRITTEN_LENGTH - FIXED_LENGTH)));
    }

    /** Returns the tag of the subscription, {@link #TEMPORARY}, or 0. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the text, sanitized for a log line. */
    public static String text(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining() - FIXED_LENGTH];
        body.get(body.position() + FIXED_LENGTH, bytes);
        return new String(bytes, StandardCharsets.UTF_8).replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
    }
}

package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.PlainText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The layout of the greeting that a client sends when it connects. Numbers are big-endian, and lengths are unsigned
 * bytes.
 *
 * <pre>
 *  0         4         5          13            14       14+n           15+n
 *  +---------+---------+----------+-------------+--------+--------------+---------+
 *  | "RBMQ"  | version | features | name length | name … | token length | token … |
 *  +---------+---------+----------+-------------+--------+--------------+---------+
 * </pre>
 *
 * Readers ignore any data after these fields, so that a newer client can add fields.
 */
public final class GreetingLayout {
    /** Version of the whole protocol between clients and broker. Version 1 had no features in the greeting. */
    public static final int VERSION = 2;
    /** Maximum length of a name or token, in bytes of UTF-8. */
    public static final int MAX_TEXT_LENGTH = 255;

    private static final int MAGIC = 'R' << 24 | 'B' << 16 | 'M' << 8 | 'Q';
    private static final int MIN_LENGTH = 15;

    private GreetingLayout() {}

    /** Returns true if a name or token is short enough. */
    public static boolean fits(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length <= MAX_TEXT_LENGTH;
    }

    /** Returns true if a string can be the token of a user: 1 to 255 bytes of UTF-8 without control characters. */
    public static boolean isToken(String text) {
        return !text.isEmpty() && fits(text) && text.chars().noneMatch(Character::isISOControl);
    }

    /** Writes the greeting of a client that supports all features of this version. */
    public static byte[] write(String name, String token) {
        return write(Features.SUPPORTED, name, token);
    }

    /** Writes a greeting of this protocol version with the given features. */
    public static byte[] write(long features, String name, String token) {
        byte[] nameBytes = bytes("name", name);
        byte[] tokenBytes = bytes("token", token);
        return ByteBuffer.allocate(MIN_LENGTH + nameBytes.length + tokenBytes.length)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .putLong(features)
                .put((byte) nameBytes.length)
                .put(nameBytes)
                .put((byte) tokenBytes.length)
                .put(tokenBytes)
                .array();
    }

    /**
     * Reads a greeting.
     *
     * @throws TransportException when the greeting is malformed or has an unsupported version
     */
    public static Greeting read(byte[] greeting) {
        ByteBuffer from = ByteBuffer.wrap(greeting);
        if (greeting.length <= Integer.BYTES || from.getInt() != MAGIC) {
            throw violation("does not use the RBMQ protocol");
        }
        int version = from.get() & 0xff;
        if (version != VERSION) {
            throw violation(
                    "uses version " + version + " of the RBMQ protocol, but the broker supports version " + VERSION);
        }
        if (from.remaining() < Long.BYTES) {
            throw violation("sent a truncated greeting");
        }
        return new Greeting(from.getLong(), PlainText.of(text(from)), text(from));
    }

    private static byte[] text(ByteBuffer from) {
        int length = from.hasRemaining() ? from.get() & 0xff : -1;
        if (length < 0 || length > from.remaining()) {
            throw violation("sent a truncated greeting");
        }
        byte[] text = new byte[length];
        from.get(text);
        return text;
    }

    private static byte[] bytes(String what, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_TEXT_LENGTH) {
            throw new IllegalArgumentException(what + ".length=" + bytes.length + " longest=" + MAX_TEXT_LENGTH);
        }
        return bytes;
    }

    private static TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "the client " + what);
    }
}

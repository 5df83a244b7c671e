package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * Body of SUBSCRIBED: how the buffer will be sent, and where the subscriber may write the position up to which it has
 * consumed.
 *
 * <pre>
 *  0        4             5     8           16      24
 *  +--------+-------------+-----+-----------+-------+
 *  |  tag   | overwriting |  0  |  address  |  key  |
 *  +--------+-------------+-----+-----------+-------+
 * </pre>
 *
 * Overwriting is 1 for a buffer without flow control, else 0. Address and key belong to a word that the sender has lent
 * for this subscription; both are 0 where there is none.
 */
public final class SubscribedLayout {
    /** Bytes of the body. */
    public static final int LENGTH = 24;

    private SubscribedLayout() {}

    /** Writes tag and kind; {@link #putWord} must follow. */
    public static void putKind(ByteBuffer message, int tag, boolean overwriting) {
        message.putInt(tag).putInt(overwriting ? 1 << 24 : 0);
    }

    /** Writes how the word can be reached. */
    public static void putWord(ByteBuffer message, long address, long key) {
        message.putLong(address).putLong(key);
    }

    /** The subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** True for a buffer without flow control. */
    public static boolean isOverwriting(ByteBuffer body) {
        return body.get(body.position() + 4) == 1;
    }

    /** Address of the word. */
    public static long address(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    /** Remote key of the word. */
    public static long key(ByteBuffer body) {
        return body.getLong(body.position() + 16);
    }
}

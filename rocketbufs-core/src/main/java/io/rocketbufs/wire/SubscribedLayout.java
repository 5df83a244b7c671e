package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * Body of SUBSCRIBED: how the buffer will be sent, and where the subscriber may write the position up to which it has
 * consumed.
 *
 * <pre>
 *  0        4             5     8           16      24
 *  +--------+-------------+-----+-----------+-------+
 *  |  tag   |    kind     |  0  |  address  |  key  |
 *  +--------+-------------+-----+-----------+-------+
 * </pre>
 *
 * The kind is 0 for a buffer with flow control, 1 for one that overwrites, without regard to credit, and 2 for one
 * whose writes keep to the credit while its producer does not wait, so gaps may come. Address and key belong to a word
 * that the sender has lent for this subscription; both are 0 where there is none.
 */
public final class SubscribedLayout {
    /** Bytes of the body. */
    public static final int LENGTH = 24;
    /** The highest kind that is known. */
    public static final int MAX_KIND = 2;

    private static final int OVERWRITING = 1;
    private static final int LOSSY = 2;

    private SubscribedLayout() {}

    /** Writes tag and kind; {@link #putWord} must follow. */
    public static void putKind(ByteBuffer message, int tag, boolean overwriting, boolean lossy) {
        int kind = overwriting ? OVERWRITING : lossy ? LOSSY : 0;
        message.putInt(tag).putInt(kind << 24);
    }

    /** Writes how the word can be reached. */
    public static void putWord(ByteBuffer message, long address, long key) {
        message.putLong(address).putLong(key);
    }

    /** The subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns true when writes do not wait for credit. */
    public static boolean isOverwriting(ByteBuffer body) {
        return kind(body) == OVERWRITING;
    }

    /** Returns true when the producer does not wait for this subscription. */
    public static boolean isLossy(ByteBuffer body) {
        return kind(body) != 0;
    }

    /** How the buffer will be sent; a number above {@link #MAX_KIND} says nothing that is known. */
    public static int kind(ByteBuffer body) {
        return body.get(body.position() + 4) & 0xff;
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

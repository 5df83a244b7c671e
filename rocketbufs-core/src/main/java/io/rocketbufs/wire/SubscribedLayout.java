package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of SUBSCRIBED. It states how the buffer will be sent, and the word to which the subscriber may write its
 * consumed position. It also states the position in the buffer's data at which the subscription starts and the position
 * at which the data ended at that time.
 *
 * <pre>
 *  0        4             5     8           16      24                 32                40
 *  +--------+-------------+-----+-----------+-------+------------------+-----------------+
 *  |  tag   |    kind     |  0  |  address  |  key  |  start position  |  live position  |
 *  +--------+-------------+-----+-----------+-------+------------------+-----------------+
 * </pre>
 *
 * The kind is 0 for a buffer with flow control, and 1 for a buffer that overwrites data regardless of credit. It is 2
 * for a buffer whose writes respect the credit but whose producer does not wait, so that gaps may occur. Address and
 * key belong to a word that the sender has lent for this subscription; both are 0 if there is none.
 *
 * <p>The start position counts the bytes of the sender's buffer since its creation, including bytes that were lost
 * before they reached it. The subscriber's position in that buffer is the start position plus the bytes received and
 * lost since then. The live position is the end of the last delivery before the sender accepted the subscription, and
 * at least the start position. Data before the live position is older than the subscription.
 */
public final class SubscribedLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 40;
    /** The highest start position and live position; leaves room for the bytes received and lost after that. */
    public static final long MAX_START = 3L << 61;
    /** The highest known kind. */
    public static final int MAX_KIND = 2;

    private static final int OVERWRITING = 1;
    private static final int LOSSY = 2;

    private SubscribedLayout() {}

    /** Writes the tag and the kind; calls to {@link #putWord} and {@link #putPositions} must follow. */
    public static void putKind(ByteBuffer message, int tag, boolean overwriting, boolean lossy) {
        int kind = overwriting ? OVERWRITING : lossy ? LOSSY : 0;
        message.putInt(tag).putInt(kind << 24);
    }

    /** Writes the access to the lent word. */
    public static void putWord(ByteBuffer message, long address, long key) {
        message.putLong(address).putLong(key);
    }

    /** Writes the position at which the subscription starts, and the position at which the data ended at that time. */
    public static void putPositions(ByteBuffer message, long startPosition, long livePosition) {
        message.putLong(startPosition).putLong(livePosition);
    }

    /** Returns the tag of the subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns true if writes do not wait for credit. */
    public static boolean isOverwriting(ByteBuffer body) {
        return kind(body) == OVERWRITING;
    }

    /** Returns true if the producer does not wait for this subscription. */
    public static boolean isLossy(ByteBuffer body) {
        return kind(body) != 0;
    }

    /** Returns the code of the buffer's kind; a code above {@link #MAX_KIND} is unknown. */
    public static int kind(ByteBuffer body) {
        return body.get(body.position() + 4) & 0xff;
    }

    /** Returns the address of the lent word. */
    public static long address(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    /** Returns the remote key of the lent word. */
    public static long key(ByteBuffer body) {
        return body.getLong(body.position() + 16);
    }

    /** Returns the position in the sender's buffer at which the subscription starts. */
    public static long startPosition(ByteBuffer body) {
        return body.getLong(body.position() + 24);
    }

    /** Returns the position in the sender's buffer at which the data ended when the subscription started. */
    public static long livePosition(ByteBuffer body) {
        return body.getLong(body.position() + 32);
    }
}

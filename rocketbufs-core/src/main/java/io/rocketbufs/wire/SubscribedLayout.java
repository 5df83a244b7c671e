package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of SUBSCRIBED: how the buffer will be sent, the word that the subscriber may write its consumed position to,
 * where in the buffer's data the subscription begins, and where the data ended at that time.
 *
 * <pre>
 *  0        4             5     8           16      24                 32                40
 *  +--------+-------------+-----+-----------+-------+------------------+-----------------+
 *  |  tag   |    kind     |  0  |  address  |  key  |  start position  |  live position  |
 *  +--------+-------------+-----+-----------+-------+------------------+-----------------+
 * </pre>
 *
 * The kind is 0 for a buffer with flow control, and 1 for one that overwrites regardless of credit. It is 2 for a
 * buffer whose writes respect the credit but whose producer does not wait, so gaps may occur. Address and key belong to
 * a word that the sender has lent for this subscription; both are 0 if there is none.
 *
 * <p>The start position counts the bytes of the sender's buffer since its creation, including bytes lost before they
 * reached it. Plus the bytes received and lost since then, it is the subscriber's position in that buffer. The live
 * position is where the last delivery ended when the sender accepted the subscription, and at least the start position:
 * what precedes it is older than the subscription.
 */
public final class SubscribedLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 40;
    /** The highest start and live position, which leaves room for the bytes received and lost since then. */
    public static final long MAX_START = 3L << 61;
    /** The highest known kind. */
    public static final int MAX_KIND = 2;

    private static final int OVERWRITING = 1;
    private static final int LOSSY = 2;

    private SubscribedLayout() {}

    /** Writes the tag and the kind; {@link #putWord} and {@link #putPositions} must follow. */
    public static void putKind(ByteBuffer message, int tag, boolean overwriting, boolean lossy) {
        int kind = overwriting ? OVERWRITING : lossy ? LOSSY : 0;
        message.putInt(tag).putInt(kind << 24);
    }

    /** Writes the access to the word. */
    public static void putWord(ByteBuffer message, long address, long key) {
        message.putLong(address).putLong(key);
    }

    /** Writes the position at which the subscription begins, and the one at which the data ended then. */
    public static void putPositions(ByteBuffer message, long startPosition, long livePosition) {
        message.putLong(startPosition).putLong(livePosition);
    }

    /** Returns the tag of the subscription. */
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

    /** Returns the kind of the buffer; a number above {@link #MAX_KIND} is unknown. */
    public static int kind(ByteBuffer body) {
        return body.get(body.position() + 4) & 0xff;
    }

    /** Returns the address of the word. */
    public static long address(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    /** Returns the remote key of the word. */
    public static long key(ByteBuffer body) {
        return body.getLong(body.position() + 16);
    }

    /** Returns the position in the sender's buffer at which the subscription begins. */
    public static long startPosition(ByteBuffer body) {
        return body.getLong(body.position() + 24);
    }

    /** Returns the position in the sender's buffer at which its data ended when the subscription began. */
    public static long livePosition(ByteBuffer body) {
        return body.getLong(body.position() + 32);
    }
}

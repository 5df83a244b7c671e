package io.rocketbufs.wire;

/**
 * The 32 bits of immediate data that accompany every write, in protocol version 1:
 *
 * <pre>
 *   31    30    29                                  0
 *  +------+---+--------------------------------------+
 *  | more | 0 |                 tag                  |
 *  +------+---+--------------------------------------+
 * </pre>
 *
 * If <em>more</em> is set, the transfer continues with the next write for this tag. The receiver chose the tag when it
 * subscribed. Bit 30 is reserved: a receiver treats a tag with this bit set as unknown.
 *
 * <p><b>Source:</b> RocketBufs 3.5 puts the buffer id here. Two publishers may both use buffer id 1, and a completion
 * queue may serve both. The receiver's own tag therefore identifies both connection and buffer id, and serves as an
 * array index.
 */
public final class ImmediateLayout {
    /** The highest tag; tags begin at 0. */
    public static final int MAX_TAG = (1 << 30) - 1;

    private static final int MORE = 1 << 31;

    private ImmediateLayout() {}

    /** Returns the immediate data for a write. */
    public static int data(int tag, boolean more) {
        return more ? tag | MORE : tag;
    }

    /** Returns the tag of the subscription. */
    public static int tag(int immediate) {
        return immediate & ~MORE;
    }

    /** Returns true when the transfer continues with the next write. */
    public static boolean hasMore(int immediate) {
        return (immediate & MORE) != 0;
    }
}

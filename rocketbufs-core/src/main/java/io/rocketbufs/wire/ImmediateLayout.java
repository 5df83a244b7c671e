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
 * <em>more</em>: the transfer goes on with the next write of this tag. The tag was chosen by the receiver at subscribe.
 * The bit between them is reserved; where it is set, it makes a tag that nobody has chosen.
 *
 * <p><b>Source:</b> RocketBufs 3.5 puts the buffer id here. Two publishers may both use buffer id 1, and a completion
 * queue may serve both, so the receiver's own tag stands for connection and buffer id together; it is also a plain
 * array index.
 */
public final class ImmediateLayout {
    /** Tags are 0 to this. */
    public static final int MAX_TAG = (1 << 30) - 1;

    private static final int MORE = 1 << 31;

    private ImmediateLayout() {}

    /** Immediate data of a data write. */
    public static int data(int tag, boolean more) {
        return more ? tag | MORE : tag;
    }

    /** The subscription. */
    public static int tag(int immediate) {
        return immediate & ~MORE;
    }

    /** True when the transfer goes on with the next write. */
    public static boolean hasMore(int immediate) {
        return (immediate & MORE) != 0;
    }
}

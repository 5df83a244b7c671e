package io.rocketbufs.wire;

/**
 * The 32 bits of immediate data that accompany every write. Bit 30 distinguishes a write to a subscription from a write
 * to memory that the receiver has granted or that receives the answer to a read:
 *
 * <pre>
 *   31    30    29              16 15               0
 *  +------+---+--------------------------------------+
 *  | more | 0 |                 tag                  |
 *  +------+---+------------------+-------------------+
 *  | more | 1 |     grant id     |      number       |
 *  +------+---+------------------+-------------------+
 * </pre>
 *
 * If <em>more</em> is set, the transfer or the write continues with the next write for this tag or grant. The receiver
 * chose the tag when it subscribed, and the grant id when it granted the memory. The application chooses the number.
 * The highest grant id belongs to no grant: a write with this id answers the oldest unanswered READ_REQUEST.
 *
 * <p><b>Source:</b> RocketBufs 3.5 puts the buffer id here. However, two publishers may both use buffer id 1, and one
 * completion queue may serve both. The receiver's own tag therefore identifies both the connection and the buffer id,
 * and serves as an array index. Grant id and number are those of KafkaDirect, figure 4.
 */
public final class ImmediateLayout {
    /** The highest tag; tags start at 0. */
    public static final int MAX_TAG = (1 << 30) - 1;
    /** The highest number of a write to granted memory; numbers start at 0. */
    public static final int MAX_NUMBER = (1 << 16) - 1;
    /** The grant id of answers to reads. */
    public static final int ANSWER = (1 << 14) - 1;

    private static final int MORE = 1 << 31;
    private static final int GRANTED = 1 << 30;
    private static final int ID_SHIFT = 16;

    private ImmediateLayout() {}

    /** Returns the immediate data for a write to a subscription. */
    public static int data(int tag, boolean more) {
        return more ? tag | MORE : tag;
    }

    /** Returns the immediate data for a write to granted memory, or for an {@link #ANSWER}. */
    public static int granted(int id, int number, boolean more) {
        return (more ? MORE : 0) | GRANTED | id << ID_SHIFT | number;
    }

    /** Returns the tag of the subscription; above {@link #MAX_TAG} for a write to granted memory. */
    public static int tag(int immediate) {
        return immediate & ~MORE;
    }

    /** Returns true for a write to granted memory or an {@link #ANSWER}. */
    public static boolean isGranted(int immediate) {
        return (immediate & GRANTED) != 0;
    }

    /** Returns the id of the grant, or {@link #ANSWER}. */
    public static int grantId(int immediate) {
        return immediate >> ID_SHIFT & ANSWER;
    }

    /** Returns the application's number for a write to granted memory. */
    public static int number(int immediate) {
        return immediate & MAX_NUMBER;
    }

    /** Returns true if the transfer or the write continues with the next write. */
    public static boolean hasMore(int immediate) {
        return (immediate & MORE) != 0;
    }
}

package io.rocketbufs.options;

/**
 * The point in a buffer's data at which a subscription begins.
 *
 * <p>Positions count the bytes of the sender's buffer since its creation, including bytes lost before they reached it.
 * They are valid only for this buffer, and only as long as it exists: a recreated buffer begins at 0.
 *
 * @param code the position, or a negative code for {@link #LIVE}, {@link #OLDEST} and {@link #LAST}
 */
public record Start(long code) {
    /** Begins with the next delivery, or with the data that the sender has held for this subscription. */
    public static final Start LIVE = new Start(-1);
    /**
     * Begins with the oldest data that the buffer keeps for later subscriptions or for an expected subscription. Data
     * that is present only because another subscriber is slow does not count, because it can disappear at any time.
     */
    public static final Start OLDEST = new Start(-2);

    /**
     * Begins with the newest data that the buffer keeps for later subscriptions or for an expected subscription, if the
     * buffer keeps the whole newest delivery. Otherwise, begins with the next delivery. The kept data ends with the
     * newest delivery. It can begin with earlier deliveries that were combined with the newest one, or that arrived in
     * the same transfer at a spliced buffer. {@code RIn.livePosition} returns the position at which the newest delivery
     * ends.
     */
    public static final Start LAST = new Start(-3);

    private static final long LOWEST_CODE = -3;

    /** Validates the code. */
    public Start {
        if (!isValid(code)) {
            throw new IllegalArgumentException("start=" + code + " is neither a position nor a known code");
        }
    }

    /**
     * Returns a start that continues an earlier subscription to the same buffer. If the buffer no longer contains the
     * data at the requested position, the subscription begins with the oldest data that the buffer still contains, and
     * the gap callback reports the difference. The sender refuses a position beyond the end of its buffer.
     *
     * @param position a position that the previous subscription has reached: its start position plus the number of
     *     bytes that it has received and lost up to that point. The application may have stopped after any delivery,
     *     even inside a transfer. With any other position, the data begins in the middle of a delivery
     */
    public static Start at(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position=" + position + " must not be negative");
        }
        return new Start(position);
    }

    /** Returns true for a position or a known code. */
    public static boolean isValid(long code) {
        return code >= LOWEST_CODE;
    }

    /** Returns true if this start requests a position. */
    public boolean isPosition() {
        return code >= 0;
    }
}

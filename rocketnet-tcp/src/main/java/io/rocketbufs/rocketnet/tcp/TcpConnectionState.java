package io.rocketbufs.rocketnet.tcp;

/**
 * The life of a connection, as its worker knows it.
 *
 * <pre>
 *             end of the peer's data
 *      OPEN ------------------------> HALF_CLOSED
 *       |  |                               |
 *       |  | a write failed                |
 *       |  v                               |
 *       |  DRAINING                        |
 *       |     |                            |
 *       +-----+--------- failure ----------+----> FAILED
 *       |     |                            |         |
 *       |     |   close(), a rest is left  |         |
 *       +-----|----------------------------+----> LINGERING
 *       |     |                            |         |
 *       +-----+--------- close() ----------+---------+----> CLOSED
 * </pre>
 *
 * <p>A connection that lingers is closed when the rest has left, when it cannot leave, or when its time is over.
 */
enum TcpConnectionState {
    /** Reads and writes. */
    OPEN,
    /** Writes; the peer sends nothing more. */
    HALF_CLOSED,
    /** Reads what the peer sent before a write failed, and reports that failure afterwards. */
    DRAINING,
    /** Has reported its failure and waits for {@code close()}. */
    FAILED,
    /** Is closed for its user, but the rest of a frame that was accepted before its end still leaves. */
    LINGERING,
    /** Has no socket and no memory. */
    CLOSED;

    /** Returns whether arriving frames are read and handed over. */
    boolean reads() {
        return this == OPEN || this == DRAINING;
    }

    /** Returns whether frames may be written. */
    boolean writes() {
        return this == OPEN || this == HALF_CLOSED;
    }

    /** Returns whether {@code close()} has been called: the handler gets no further call but {@code closed()}. */
    boolean isClosed() {
        return this == LINGERING || this == CLOSED;
    }

    /** Returns whether the transition is one of those drawn above. */
    boolean mayBecome(TcpConnectionState next) {
        return switch (this) {
            case OPEN -> next != OPEN;
            case HALF_CLOSED -> next == FAILED || next.isClosed();
            case DRAINING -> next == FAILED || next == CLOSED;
            case FAILED, LINGERING -> next == CLOSED;
            case CLOSED -> false;
        };
    }
}

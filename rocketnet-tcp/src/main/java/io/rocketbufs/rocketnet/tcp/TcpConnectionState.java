package io.rocketbufs.rocketnet.tcp;

/**
 * The state of a connection, as seen by its worker.
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
 *       |     |   close(), data is unsent  |         |
 *       +-----|----------------------------+----> LINGERING
 *       |     |                            |         |
 *       +-----+--------- close() ----------+---------+----> CLOSED
 * </pre>
 *
 * <p>A lingering connection closes when the rest of its frame has been sent, when sending fails, or when the time limit
 * expires.
 */
enum TcpConnectionState {
    /** The connection reads and writes. */
    OPEN,
    /** The connection only writes, because the peer has finished sending. */
    HALF_CLOSED,
    /** A write has failed. The connection reads the data that the peer sent earlier, and then reports the failure. */
    DRAINING,
    /** The connection has reported its failure and is waiting for {@code close()}. */
    FAILED,
    /** The user has closed the connection, but the rest of a previously accepted frame is still being sent. */
    LINGERING,
    /** The connection has no socket and no memory. */
    CLOSED;

    /** Returns whether arriving frames are read and passed to the handler. */
    boolean reads() {
        return this == OPEN || this == DRAINING;
    }

    /** Returns whether frames may be written. */
    boolean writes() {
        return this == OPEN || this == HALF_CLOSED;
    }

    /** Returns whether {@code close()} has been called. After that call, the handler receives only {@code closed()}. */
    boolean isClosed() {
        return this == LINGERING || this == CLOSED;
    }

    /** Returns whether the diagram above contains the transition. */
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

package io.rocketbufs.rocketnet.shm;

/**
 * The states of a connection.
 *
 * <pre>
 *   OPEN ---------> PEER_FINISHED ------> FAILED ------> CLOSED
 *     |                  |                  ^              ^
 *     |                  +------------------|--------------+
 *     +-------------------------------------+--------------+
 * </pre>
 */
enum ShmConnectionState {
    /** Both sides may send. */
    OPEN,
    /** The peer has finished sending; this side may still send. */
    PEER_FINISHED,
    /** A failure has been reported; the user has not yet closed the connection. */
    FAILED,
    /** The connection has released all its resources. */
    CLOSED;

    boolean reads() {
        return this == OPEN;
    }

    boolean writes() {
        return this == OPEN || this == PEER_FINISHED;
    }

    boolean mayBecome(ShmConnectionState next) {
        return ordinal() < next.ordinal();
    }
}

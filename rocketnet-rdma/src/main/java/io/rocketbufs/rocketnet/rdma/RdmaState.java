package io.rocketbufs.rocketnet.rdma;

/**
 * The state of a connection. A posting thread changes OPEN to BROKEN, the monitor sets RELEASED, and the worker makes
 * all other transitions.
 *
 * <pre>
 *  ESTABLISHING ----&gt; OPEN ----&gt; LINGERING
 *       |             |  |           |
 *       |   +---------+  |           |
 *       |   v            v           |
 *       | BROKEN ----&gt; FAILED       |
 *       |   |            |           |
 *       v   v            v           v
 *  +----------------- CLOSED -----------------+
 *                        |
 *                     RELEASED
 * </pre>
 *
 * OPEN also changes directly to CLOSED unless the connection must linger.
 */
enum RdmaState {
    /** The connection has not yet been passed to its user. */
    ESTABLISHING,
    /** The user is using the connection. */
    OPEN,
    /** An operation could not be posted; the worker will report the failure. */
    BROKEN,
    /** A failure has been reported; the user will close the connection. */
    FAILED,
    /**
     * The user has closed the connection, which is still notifying the peer or waiting for the peer to finish sending.
     */
    LINGERING,
    /** The monitor will close the endpoint. */
    CLOSED,
    /** The endpoint is closed. */
    RELEASED;

    /** Returns whether arrivals are passed to the user and a failure would be reported. */
    boolean isHealthy() {
        return this == OPEN || this == BROKEN;
    }

    /** Returns whether the connection has been passed to its user and the user has not closed it. */
    boolean isInUse() {
        return isHealthy() || this == FAILED;
    }
}

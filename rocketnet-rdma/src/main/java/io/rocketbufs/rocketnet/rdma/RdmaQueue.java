package io.rocketbufs.rocketnet.rdma;

/**
 * A queue of libfabric that a monitor waits for and reads.
 *
 * <p><b>Thread-safety:</b> the monitor's thread.
 */
abstract class RdmaQueue {
    /** The number under which the monitor watches this queue. */
    long number;
    /** True while the monitor waits for the descriptor; otherwise it reads the queue in each round. */
    boolean armed = true;

    /** Returns the descriptor to wait for. */
    abstract int descriptor();

    /** Handles some events; false when there was none. */
    abstract boolean poll();

    /** Prepares the descriptor for waiting; false when there are events, so that waiting for it is wrong. */
    abstract boolean arm();

    /** Returns false while the threads that handle the events cannot take more. */
    boolean mayPoll() {
        return true;
    }
}

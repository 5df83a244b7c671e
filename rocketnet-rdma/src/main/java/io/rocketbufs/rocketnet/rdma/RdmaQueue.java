package io.rocketbufs.rocketnet.rdma;

/**
 * A libfabric queue that a monitor waits for and reads.
 *
 * <p><b>Thread-safety:</b> belongs to the monitor's thread.
 */
abstract class RdmaQueue {
    /** The number that the monitor has registered this queue under. */
    long number;
    /** True while the monitor waits for the descriptor; while false, the monitor reads the queue in each round. */
    boolean armed = true;

    /** Returns the descriptor to wait for. */
    abstract int descriptor();

    /** Handles some events. Returns false if there were none. */
    abstract boolean poll();

    /**
     * Prepares the descriptor for waiting. Returns false if there are events, because the monitor must then not wait
     * for the descriptor.
     */
    abstract boolean arm();

    /** Returns false while the threads that handle the events have no room. */
    boolean mayPoll() {
        return true;
    }
}

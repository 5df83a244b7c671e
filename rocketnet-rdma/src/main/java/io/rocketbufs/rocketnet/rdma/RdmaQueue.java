package io.rocketbufs.rocketnet.rdma;

/**
 * A libfabric queue that a monitor waits for and reads.
 *
 * <p><b>Thread-safety:</b> belongs to the monitor's thread.
 */
abstract class RdmaQueue {
    /** The number under which the monitor has registered this queue. */
    long number;
    /**
     * True while the monitor waits for the descriptor. While this field is false, the monitor reads the queue in each
     * round.
     */
    boolean armed = true;

    /** Returns the descriptor to wait for. */
    abstract int descriptor();

    /** Handles a limited number of events. Returns false if there were no events. */
    abstract boolean poll();

    /**
     * Prepares the descriptor for waiting. Returns false if there are events; the monitor must not wait for the
     * descriptor then.
     */
    abstract boolean arm();

    /** Returns whether the threads that handle the events have room for more events. */
    boolean mayPoll() {
        return true;
    }
}

package io.rocketbufs.rocketnet.rdma;

/**
 * The interface through which a monitor and a worker pass completions to a connection.
 *
 * <p><b>Thread-safety:</b> the monitor calls {@link #beforeCompletion}; the connection's worker calls the other
 * methods.
 */
interface CompletionTarget {
    /**
     * Called before a completion is passed to the worker, so that the connection can be announced to the worker first.
     */
    void beforeCompletion();

    /** Handles a completion as libfabric reports it. */
    void completion(long context, long flags, long length, long data);

    /** Called after the last completion of a batch. */
    void batchEnd();

    /** Called with the (positive) errno when an operation has failed. */
    void operationFailed(int errno);
}

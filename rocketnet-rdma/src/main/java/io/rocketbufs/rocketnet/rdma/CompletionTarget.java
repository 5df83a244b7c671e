package io.rocketbufs.rocketnet.rdma;

/**
 * The interface that a monitor and a worker use to pass completions to a connection.
 *
 * <p><b>Thread-safety:</b> {@link #beforeCompletion} is called by the monitor, the other methods by the connection's
 * worker.
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

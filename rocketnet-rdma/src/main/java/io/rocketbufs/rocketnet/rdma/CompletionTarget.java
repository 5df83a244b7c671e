package io.rocketbufs.rocketnet.rdma;

/**
 * The interface of a connection to its completion queue and its threads.
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

    /** Called when an operation failed, with the positive error number. */
    void operationFailed(int errno);
}

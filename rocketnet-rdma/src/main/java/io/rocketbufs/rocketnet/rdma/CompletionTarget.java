package io.rocketbufs.rocketnet.rdma;

/**
 * The interface of a connection to its completion queue and to the threads.
 *
 * <p><b>Thread-safety:</b> {@link #beforeCompletion} is called by the monitor, the rest by the connection's worker.
 */
interface CompletionTarget {
    /** Called before a completion is handed to the worker, which must have been told of the connection by then. */
    void beforeCompletion();

    /** Handles a completion as libfabric reports it. */
    void completion(long context, long flags, long length, long data);

    /** Called after the last completion of a batch. */
    void batchEnd();

    /** Called when an operation failed, with the positive error number. */
    void operationFailed(int errno);
}

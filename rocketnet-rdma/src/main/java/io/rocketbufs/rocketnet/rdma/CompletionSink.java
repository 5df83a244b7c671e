package io.rocketbufs.rocketnet.rdma;

/**
 * The interface of a worker to a completion queue. It handles completions in the order in which the monitor found them.
 *
 * <p><b>Thread-safety:</b> called by one monitor.
 */
interface CompletionSink {
    /** Returns true when there is room for another whole batch. */
    boolean hasRoom();

    /** Hands a completion to its connection. */
    void completion(CompletionTarget target, long context, long flags, long length, long data);

    /** Runs a task after everything before it, such as the end of a batch or of a connection. */
    void inOrder(Runnable task);
}

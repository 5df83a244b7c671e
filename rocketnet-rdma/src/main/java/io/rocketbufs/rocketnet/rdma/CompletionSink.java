package io.rocketbufs.rocketnet.rdma;

/**
 * The interface of a worker to a completion queue. It handles completions in the order in which the monitor found them.
 *
 * <p><b>Thread-safety:</b> called by one monitor.
 */
interface CompletionSink {
    /** Returns true when there is room for another whole batch. */
    boolean hasRoom();

    /** Passes a completion to its connection. */
    void completion(CompletionTarget target, long context, long flags, long length, long data);

    /** Runs a task, such as the end of a batch or of a connection, after all earlier completions and tasks. */
    void inOrder(Runnable task);
}

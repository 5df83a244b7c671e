package io.rocketbufs.rocketnet.rdma;

/**
 * The interface through which a monitor passes completions to a worker. The worker handles them in the order in which
 * the monitor read them.
 *
 * <p><b>Thread-safety:</b> called by one monitor.
 */
interface CompletionSink {
    /** Returns whether there is room for another full batch. */
    boolean hasRoom();

    /** Passes a completion to its connection. */
    void completion(CompletionTarget target, long context, long flags, long length, long data);

    /**
     * Runs a task after all earlier completions and tasks. The task handles, for example, the end of a batch or of a
     * connection.
     */
    void inOrder(Runnable task);
}

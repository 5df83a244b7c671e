package io.rocketbufs.rocketnet.rdma;

/**
 * Who handles the completions of a connection: its worker, in the order in which the monitor found them.
 *
 * <p><b>Thread-safety:</b> called by one monitor.
 */
interface CompletionSink {
    /** True when it takes a whole batch more. */
    boolean hasRoom();

    /** A completion of a connection. */
    void completion(CompletionTarget target, long context, long flags, long length, long data);

    /** Something to do after what came before, such as the end of a batch or of a connection. */
    void inOrder(Runnable task);
}

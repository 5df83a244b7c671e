package io.rocketbufs.rocketnet.rdma;

/**
 * A connection's entry in its completion queue.
 *
 * <p><b>Thread-safety:</b> belongs to the monitor's thread.
 */
final class RdmaMember {
    private final int number;
    private final CompletionTarget target;
    private final CompletionSink worker;
    private final Runnable batchEnd;
    private boolean inBatch;

    /**
     * Creates a member.
     *
     * @param number identifies the connection in its operations' contexts, see {@link Contexts}
     * @param worker handles its completions
     */
    RdmaMember(int number, CompletionTarget target, CompletionSink worker) {
        this.number = number;
        this.target = target;
        this.worker = worker;
        batchEnd = target::batchEnd;
    }

    int number() {
        return number;
    }

    /** Returns whether the worker has room for another full batch. */
    boolean hasRoom() {
        return worker.hasRoom();
    }

    /** Passes a completion to the worker. Returns whether it is this member's first completion in the batch. */
    boolean completion(long context, long flags, long length, long data) {
        target.beforeCompletion();
        worker.completion(target, context, flags, length, data);
        boolean first = !inBatch;
        inBatch = true;
        return first;
    }

    /** Notifies the worker that the batch has ended. */
    void endBatch() {
        inBatch = false;
        worker.inOrder(batchEnd);
    }

    /** Notifies the worker that an operation failed. */
    void operationFailed(int errno) {
        worker.inOrder(() -> target.operationFailed(errno));
    }
}

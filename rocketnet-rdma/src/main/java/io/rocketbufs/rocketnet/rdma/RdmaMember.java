package io.rocketbufs.rocketnet.rdma;

/**
 * A connection as its completion queue knows it.
 *
 * <p><b>Thread-safety:</b> the monitor's thread.
 */
final class RdmaMember {
    private final int number;
    private final CompletionTarget target;
    private final CompletionSink worker;
    private final Runnable batchEnd;
    private boolean inBatch;

    /**
     * Makes a member.
     *
     * @param number what the contexts of its operations carry, see {@link Contexts}
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

    /** Returns true when the worker takes a whole batch more. */
    boolean hasRoom() {
        return worker.hasRoom();
    }

    /** Hands a completion to the worker; true if it is the first of the batch. */
    boolean completion(long context, long flags, long length, long data) {
        target.beforeCompletion();
        worker.completion(target, context, flags, length, data);
        boolean first = !inBatch;
        inBatch = true;
        return first;
    }

    /** Tells the worker that the batch has ended. */
    void endBatch() {
        inBatch = false;
        worker.inOrder(batchEnd);
    }

    /** Tells the worker that an operation failed. */
    void operationFailed(int errno) {
        worker.inOrder(() -> target.operationFailed(errno));
    }
}

package io.rocketbufs.rocketnet.rdma;

/** Handles completions at once, like a monitor without workers. */
final class DirectSink implements CompletionSink {
    private boolean full;

    /** From now on there is no room, or there is room again. */
    void full(boolean full) {
        this.full = full;
    }

    @Override
    public boolean hasRoom() {
        return !full;
    }

    @Override
    public void completion(CompletionTarget target, long context, long flags, long length, long data) {
        target.completion(context, flags, length, data);
    }

    @Override
    public void inOrder(Runnable task) {
        task.run();
    }
}

package io.rocketbufs.rocketnet.rdma;

/** A sink that handles completions immediately, like a monitor without workers. */
final class DirectSink implements CompletionSink {
    private boolean full;

    /** Sets whether the sink has no room. */
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

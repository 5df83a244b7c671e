package io.rocketbufs.rocketnet.rdma;

import java.util.ArrayList;
import java.util.List;

/** A connection that only records its completions. */
final class RecordingTarget implements CompletionTarget {
    private final List<String> events = new ArrayList<>();
    private Runnable first;

    /** Sets a task that runs before the next completion. */
    RecordingTarget before(Runnable task) {
        first = task;
        return this;
    }

    List<String> events() {
        return events;
    }

    @Override
    public void beforeCompletion() {
        Runnable task = first;
        first = null;
        if (task != null) {
            task.run();
        }
    }

    @Override
    public void completion(long context, long flags, long length, long data) {
        events.add("slot " + Contexts.slot(context) + " flags " + flags + " length " + length + " data " + data);
    }

    @Override
    public void batchEnd() {
        events.add("end");
    }

    @Override
    public void operationFailed(int errno) {
        events.add("failed " + errno);
    }
}

package io.rocketbufs.rocketlog.broker;

import java.util.ArrayList;
import java.util.List;

/** Records the names of the events of written batches, in order. One thread at a time causes them. */
final class RecordedEvents implements WrittenBatches.Events {
    final List<String> names = new ArrayList<>();
    /** True if the receiver fails when notified that the batches can no longer be appended in order. */
    boolean failsWhenBroken;

    @Override
    public void onFull() {
        names.add("full");
    }

    @Override
    public void onBroken(String reason) {
        names.add("broken");
        if (failsWhenBroken) {
            throw new IllegalStateException("in this test");
        }
    }

    @Override
    public void onEarly() {
        names.add("early");
    }

    @Override
    public void onCopied() {
        names.add("copied");
    }
}

package io.rocketbufs.rocketlog.broker;

import java.util.ArrayList;
import java.util.List;

/** A receiver of events that records their names in order. Only one thread at a time may cause events. */
final class RecordedEvents implements WrittenBatches.Events {
    final List<String> names = new ArrayList<>();
    /** True if the receiver must throw an exception when batches can no longer be appended in order. */
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

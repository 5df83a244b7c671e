package io.rocketbufs.rocketlog.broker;

/** A receiver of events that expects all batches to be appended in order. It can be used by any thread. */
final class UnbrokenEvents implements WrittenBatches.Events {
    @Override
    public void onFull() {
        throw new AssertionError();
    }

    @Override
    public void onBroken(String reason) {
        throw new AssertionError(reason);
    }

    @Override
    public void onEarly() {
        // This event is expected.
    }

    @Override
    public void onCopied() {
        // This event is expected.
    }
}

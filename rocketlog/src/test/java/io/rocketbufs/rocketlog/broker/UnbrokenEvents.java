package io.rocketbufs.rocketlog.broker;

/** A receiver of events for batches that are all appended in order. Any thread. */
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
        // as expected
    }

    @Override
    public void onCopied() {
        // as expected
    }
}

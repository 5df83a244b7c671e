package io.rocketbufs.rbmq.client;

/** A handler of the gaps in the messages of one subscription. */
@FunctionalInterface
public interface GapHandler {
    /**
     * Called when messages are missing; if they are those of one publisher, in order with its messages. Called on the
     * connection's worker, where it must not block, or on the subscription's executor. An exception closes the
     * connection, which is not replaced then.
     */
    void onGap(Gap gap);
}

package io.rocketbufs.rbmq.client;

/** A handler for gaps in the messages of one subscription. */
@FunctionalInterface
public interface GapHandler {
    /**
     * Called when messages are missing. If all of them are from one publisher, the call is in order with that
     * publisher's other messages. Called on the connection's worker, where it must not block, or on the subscription's
     * executor. If this method throws an exception, the connection is closed and not replaced.
     */
    void onGap(Gap gap);
}

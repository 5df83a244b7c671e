package io.rocketbufs.rbmq.client;

/** A handler of the gaps in the messages of one subscription. */
@FunctionalInterface
public interface GapHandler {
    /**
     * Called when messages of one publisher were skipped, in order with the messages; for the causes, see
     * {@link SubscriberCallback#onGap}. Called on the connection's worker, where it must not block, or on the
     * subscription's executor. An exception closes the connection.
     *
     * @param topic the topic, also if the subscription has a filter
     * @param lostLength bytes skipped, including headers
     */
    void onGap(String topic, int publisher, long lostLength);
}

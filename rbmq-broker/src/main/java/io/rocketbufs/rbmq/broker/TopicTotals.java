package io.rocketbufs.rbmq.broker;

/**
 * The totals of one topic that outlive its publishers and subscriptions. The same object belongs to a topic as long as
 * the topic exists, and never to another one.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TopicTotals {
    private final TrafficSum ended = new TrafficSum();
    private Traffic highest = Traffic.NONE;

    /** Returns the traffic of departed publishers, and of subscriptions that have ended. */
    TrafficSum ended() {
        return ended;
    }

    /**
     * Records a reading of all traffic of the topic. The counters of a subscription that is just ending can be missing
     * from it, but a counter that decreases would look like a restart of the broker.
     *
     * @return the highest numbers recorded so far
     */
    synchronized Traffic record(Traffic reading) {
        highest = reading.max(highest);
        return highest;
    }
}

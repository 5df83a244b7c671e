package io.rocketbufs.rbmq.client;

/**
 * The counters of one topic's output, or the sums of several outputs.
 *
 * @param publishedCount number of messages published
 * @param publishedLength total length in bytes of these messages, excluding their headers
 * @param unheardCount number of messages dropped because the topic had no subscribers
 * @param unconfirmedCount number of messages that the broker has not confirmed
 * @param unconfirmedLength total length in bytes of these messages, including headers
 * @param resentCount number of messages sent again because they were not confirmed when the connection was lost
 * @param droppedCount number of messages dropped because they were not confirmed when the connection was lost
 */
record OutputCounts(
        long publishedCount,
        long publishedLength,
        long unheardCount,
        long unconfirmedCount,
        long unconfirmedLength,
        long resentCount,
        long droppedCount) {
    static final OutputCounts NONE = new OutputCounts(0, 0, 0, 0, 0, 0, 0);

    /** Returns these counters with the unconfirmed messages counted as dropped. */
    OutputCounts dropped() {
        return new OutputCounts(
                publishedCount, publishedLength, unheardCount, 0, 0, resentCount, droppedCount + unconfirmedCount);
    }

    OutputCounts plus(OutputCounts other) {
        return new OutputCounts(
                publishedCount + other.publishedCount,
                publishedLength + other.publishedLength,
                unheardCount + other.unheardCount,
                unconfirmedCount + other.unconfirmedCount,
                unconfirmedLength + other.unconfirmedLength,
                resentCount + other.resentCount,
                droppedCount + other.droppedCount);
    }
}

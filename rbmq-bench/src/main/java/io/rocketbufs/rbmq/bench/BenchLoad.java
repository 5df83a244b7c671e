package io.rocketbufs.rbmq.bench;

/**
 * The load that a benchmark puts on a broker.
 *
 * @param publisherCount number of publishers. If there are more publishers than topics, several publishers share a
 *     topic. Otherwise, each publisher has one or more topics to itself
 * @param subscriberCount number of subscribers; each subscribes to all topics
 * @param topicCount number of topics
 * @param length length of a message in bytes
 * @param rate messages per second of each publisher; 0 for no limit
 * @param stampAll true to time every message instead of one in 1,024
 * @param batch number of messages that a publisher publishes to a topic with one call
 */
public record BenchLoad(
        int publisherCount, int subscriberCount, int topicCount, int length, long rate, boolean stampAll, int batch) {
    /**
     * Returns the number of streams, which are pairs of a publisher and a topic. Stream {@code i} belongs to topic
     * {@code i % topicCount}.
     */
    public int streamCount() {
        return Math.max(publisherCount, topicCount);
    }

    /**
     * Returns the first stream of a publisher. If {@code publisher == publisherCount}, returns the number of streams,
     * which is the end of the last publisher's range.
     */
    public int firstStream(int publisher) {
        return (int) ((long) streamCount() * publisher / publisherCount);
    }
}

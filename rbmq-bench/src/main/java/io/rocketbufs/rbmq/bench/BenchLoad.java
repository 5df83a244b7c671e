package io.rocketbufs.rbmq.bench;

/**
 * The load that a benchmark puts on a broker.
 *
 * @param publisherCount number of publishers; they are spread over the topics, or the topics over them, whichever are
 *     fewer
 * @param subscriberCount number of subscribers; each subscribes to all topics
 * @param topicCount number of topics
 * @param length length of a message in bytes
 * @param rate messages per second of each publisher; 0 = unlimited
 * @param stampAll times every message instead of one in 1,024
 */
public record BenchLoad(
        int publisherCount, int subscriberCount, int topicCount, int length, long rate, boolean stampAll) {
    /** Returns the number of pairs of a publisher and a topic; pair {@code i} is of topic {@code i % topicCount}. */
    public int streamCount() {
        return Math.max(publisherCount, topicCount);
    }

    /**
     * Returns the first stream in the range of publisher {@code i}; for the number of publishers, the number of
     * streams.
     */
    public int firstStream(int publisher) {
        return (int) ((long) streamCount() * publisher / publisherCount);
    }
}

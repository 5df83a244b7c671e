package io.rocketbufs.rbmq.bench;

/**
 * What flows through a broker in a benchmark.
 *
 * @param publisherCount publishers, spread over the topics, or the topics over them, whichever are fewer
 * @param subscriberCount subscribers, each of all topics
 * @param topicCount topics
 * @param length bytes of a message
 * @param rate messages per second of each publisher; 0 = as many as possible
 * @param stampAll times every message instead of one in 1,024
 */
public record BenchLoad(
        int publisherCount, int subscriberCount, int topicCount, int length, long rate, boolean stampAll) {
    /** Pairs of a publisher and a topic; number {@code i} is of topic {@code i % topicCount}. */
    public int streamCount() {
        return Math.max(publisherCount, topicCount);
    }

    /** The first stream of publisher {@code i} where each has a range; that of one after the last is their number. */
    public int firstStream(int publisher) {
        return (int) ((long) streamCount() * publisher / publisherCount);
    }
}

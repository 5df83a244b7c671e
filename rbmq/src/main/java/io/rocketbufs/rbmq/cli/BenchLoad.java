package io.rocketbufs.rbmq.cli;

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
record BenchLoad(int publisherCount, int subscriberCount, int topicCount, int length, long rate, boolean stampAll) {
    private static final int MAX_PUBLISHERS = 1000;
    private static final int MAX_SUBSCRIBERS = 1000;
    /** Their names are arguments of the processes, which the system limits to 2 MiB. */
    private static final int MAX_TOPICS = 20_000;

    /** Refuses what cannot be measured. */
    BenchLoad {
        BenchSizes.checkLength(length);
        if (stampAll) {
            BenchSizes.checkStampedLength(length);
        }
        BenchSizes.checkCount("--pubs", publisherCount, 1, MAX_PUBLISHERS);
        BenchSizes.checkCount("--subs", subscriberCount, 0, MAX_SUBSCRIBERS);
        BenchSizes.checkCount("--topics", topicCount, 1, MAX_TOPICS);
    }

    /** Pairs of a publisher and a topic; number {@code i} is of topic {@code i % topicCount}. */
    int streamCount() {
        return Math.max(publisherCount, topicCount);
    }

    /** The first stream of publisher {@code i} where each has a range; that of one after the last is their number. */
    int firstStream(int publisher) {
        return (int) ((long) streamCount() * publisher / publisherCount);
    }
}

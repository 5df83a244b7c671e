package io.rocketbufs.rbmq.cli;

/**
 * What flows through a broker in a benchmark.
 *
 * @param publisherCount publishers, spread over the topics
 * @param subscriberCount subscribers, each of all topics
 * @param topicCount topics
 * @param length bytes of a message
 * @param rate messages per second of each publisher; 0 = as many as possible
 * @param stampAll times every message instead of one in 1,024
 */
record BenchLoad(int publisherCount, int subscriberCount, int topicCount, int length, long rate, boolean stampAll) {
    private static final int MAX_PUBLISHERS = 1000;
    private static final int MAX_SUBSCRIBERS = 1000;

    /** Refuses what cannot be measured. */
    BenchLoad {
        BenchSizes.checkLength(length);
        if (stampAll) {
            BenchSizes.checkStampedLength(length);
        }
        BenchSizes.checkCount("--pubs", publisherCount, 1, MAX_PUBLISHERS);
        BenchSizes.checkCount("--subs", subscriberCount, 0, MAX_SUBSCRIBERS);
        BenchSizes.checkCount("--topics", topicCount, 1, publisherCount);
    }
}

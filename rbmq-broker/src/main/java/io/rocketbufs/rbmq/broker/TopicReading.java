package io.rocketbufs.rbmq.broker;

/**
 * The counters of one topic at one time.
 *
 * @param name the topic
 * @param rule filter of the rule in {@code rbmq.topics} that applies; null when none does
 * @param publisherCount number of publishers
 * @param subscriberCount number of subscribers
 * @param keptLength bytes of the last message if it is kept although its publisher has left; else 0
 * @param traffic what was received and sent since the topic was created
 * @param lag how far its subscribers are behind
 * @param identity the same object in all readings of a topic, but another one if it began again under the same name
 */
record TopicReading(
        String name,
        String rule,
        int publisherCount,
        int subscriberCount,
        long keptLength,
        Traffic traffic,
        Lag lag,
        Object identity) {}

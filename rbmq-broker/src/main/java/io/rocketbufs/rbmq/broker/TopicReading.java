package io.rocketbufs.rbmq.broker;

/**
 * The counters of one topic at one point in time.
 *
 * @param name the topic
 * @param rule filter of the rule in {@code rbmq.topics} that applies; null if no rule applies
 * @param publisherCount number of publishers
 * @param subscriberCount number of subscribers
 * @param keptLength bytes of the last message if it is kept and its publisher has left; otherwise 0
 * @param traffic the data received and sent since the topic was created
 * @param lag how far the topic's subscribers lag behind
 * @param identity the same object in all readings of a topic; a different object if the topic has ended and a new topic
 *     of the same name was created
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

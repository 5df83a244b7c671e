package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * A broker as a whole, at one moment; what {@code rbmq stat} shows.
 *
 * @param uptimeMs since it was opened
 * @param listeners TRANSPORT HOST:PORT of each
 * @param publisherCount connections that announce topics
 * @param subscriberCount connections that subscribe to topics
 * @param topicCount topics with a publisher or a subscriber
 * @param receivedLength bytes received from publishers since the start, frames included
 * @param transferCount transfers in which they came
 * @param refusedCount connections refused since the start
 * @param malformedCount malformed frames that subscribers have reported since the start
 */
public record BrokerState(
        long uptimeMs,
        List<String> listeners,
        int publisherCount,
        int subscriberCount,
        int topicCount,
        long receivedLength,
        long transferCount,
        long refusedCount,
        long malformedCount) {}

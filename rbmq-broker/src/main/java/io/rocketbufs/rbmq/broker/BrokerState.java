package io.rocketbufs.rbmq.broker;

import java.util.List;
import java.util.Map;

/**
 * A snapshot of a broker as a whole, as shown by {@code rbmq stat}.
 *
 * @param uptimeMs milliseconds since the broker was opened
 * @param listeners TRANSPORT HOST:PORT of each listener
 * @param publisherCount connections that announce topics
 * @param subscriberCount connections that subscribe to topics
 * @param topicCount topics with a publisher or a subscriber
 * @param receivedLength bytes received from publishers since the start, including headers
 * @param transferCount transfers in which these bytes arrived
 * @param refusedCount connections refused since the start
 * @param refusals clients and requests refused since the start because of a missing or wrong token, a missing right, or
 *     max-connections, by reason
 * @param malformedCount malformed frames that subscribers have reported, or groups have found, since the start
 * @param redeliveredCount messages that members of groups had not consumed when they left or were lost, and that other
 *     members receive, since the start
 * @param discardedLength bytes that waited for a group when its last member left or the publisher's drain timeout
 *     expired, since the start
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
        Map<String, Long> refusals,
        long malformedCount,
        long redeliveredCount,
        long discardedLength) {}

package io.rocketbufs.rbmq.broker;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A snapshot of a broker as a whole.
 *
 * @param uptimeMs milliseconds since the broker was opened
 * @param startedAt when the broker was opened
 * @param listeners TRANSPORT HOST:PORT of each listener
 * @param publisherCount connections that announce topics
 * @param subscriberCount connections that subscribe to topics
 * @param topicCount topics with a publisher, a subscriber, or a message of a departed publisher, including the inboxes
 *     of clients
 * @param receivedLength bytes received from publishers since the start, including headers
 * @param transferCount transfers in which these bytes arrived
 * @param refusedCount connections refused since the start
 * @param refusals clients and requests refused since the start because of a missing or wrong token, a missing right, or
 *     max-connections, by reason
 * @param disconnects accepted clients that have left since the start, by reason: {@code graceful}, {@code internal}, or
 *     the code of the {@link io.rocketbufs.rocketnet.TransportException} in lower case
 * @param malformedCount malformed frames that subscribers have reported, or groups have found, since the start
 * @param redeliveredCount messages that members of groups had not consumed when they left or were lost, and that other
 *     members receive, since the start
 * @param discardedLength bytes that waited for a group when its last member left or the publisher's drain timeout
 *     expired, since the start
 * @param slowSubscriberCount subscribers that currently delay a publisher
 * @param slowPendingLength bytes that wait for them in the buffers of the delayed publishers
 * @param delayCount delays since the start; in each of them, a subscriber delayed a publisher on one topic
 * @param delayMs how long these delays have lasted, in milliseconds
 * @param heldBackMs how long publishers have waited for subscribers, in milliseconds, added up over the publishers;
 *     time in which a publisher waits for several subscribers, or on several topics, counts once
 * @param memoryLength bytes of physical memory that the process uses; 0 where the operating system does not state it
 * @param memoryLimit bytes from which topics and subscriptions are refused, {@code rbmq.limits.memory}
 * @param keptCount messages of departed publishers that are kept
 * @param keptLength bytes of memory that these messages occupy
 * @param keptRemovedCount messages that were removed from these because they exceeded rbmq.limits.kept-bytes
 */
public record BrokerState(
        long uptimeMs,
        Instant startedAt,
        List<String> listeners,
        int publisherCount,
        int subscriberCount,
        int topicCount,
        long receivedLength,
        long transferCount,
        long refusedCount,
        Map<String, Long> refusals,
        Map<String, Long> disconnects,
        long malformedCount,
        long redeliveredCount,
        long discardedLength,
        int slowSubscriberCount,
        long slowPendingLength,
        long delayCount,
        long delayMs,
        long heldBackMs,
        long memoryLength,
        long memoryLimit,
        int keptCount,
        long keptLength,
        long keptRemovedCount) {}

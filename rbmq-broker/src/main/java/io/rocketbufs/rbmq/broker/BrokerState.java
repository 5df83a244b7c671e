package io.rocketbufs.rbmq.broker;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A snapshot of a broker as a whole.
 *
 * @param uptimeMs milliseconds since the broker was opened
 * @param startedAt time at which the broker was opened
 * @param listeners each listener as TRANSPORT HOST:PORT
 * @param publisherCount number of connected publishers
 * @param subscriberCount number of connected subscribers
 * @param topicCount number of topics with a publisher, a subscriber or a departed publisher's message, including the
 *     inboxes of clients
 * @param receivedLength bytes received from publishers since the start, including headers
 * @param transferCount number of transfers in which these bytes arrived
 * @param refusedCount number of connections refused since the start
 * @param refusals number of clients and requests refused since the start, by the label of the reason in
 *     {@link RefusalCounts}
 * @param disconnects number of accepted clients that have left since the start, by reason: {@code graceful},
 *     {@code internal}, or the code of the {@link io.rocketbufs.rocketnet.TransportException} in lower case
 * @param malformedCount number of malformed frames that subscribers have reported or groups have detected since the
 *     start
 * @param redeliveredCount number of messages since the start that a group passed to another member because the first
 *     member left or was lost before consuming them
 * @param discardedLength bytes discarded since the start because a group's last member left or a publisher's drain
 *     timeout expired while they waited for the group
 * @param slowSubscriberCount number of subscribers that currently delay a publisher
 * @param slowPendingLength bytes that wait for these subscribers in the buffers of the delayed publishers
 * @param delayCount number of delays since the start, each of one publisher by one subscriber on one topic
 * @param delayMs total duration of these delays, in milliseconds
 * @param heldBackMs time that publishers have spent waiting for subscribers, in milliseconds, summed over the
 *     publishers. Time during which a publisher waits for several subscribers or on several topics counts once
 * @param memoryLength bytes of physical memory that the process uses; 0 if the operating system does not report it
 * @param memoryLimit memory usage in bytes above which topics and subscriptions are refused, from
 *     {@code rbmq.limits.memory}
 * @param keptCount number of kept messages of departed publishers
 * @param keptLength bytes of memory that the kept messages occupy
 * @param keptRemovedCount number of kept messages that were removed because they exceeded rbmq.limits.kept-bytes
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

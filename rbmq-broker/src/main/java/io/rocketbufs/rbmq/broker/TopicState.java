package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * A snapshot of one topic, or of the inbox of a client.
 *
 * @param name the topic
 * @param receivedLength bytes received since the topic was created, including headers and the bytes from publishers
 *     that have left
 * @param keptLength bytes of the last message, including headers, if it is kept although its publisher has left; else 0
 * @param rule filter of the rule in {@code rbmq.topics} that applies to the topic; null when none does
 * @param publishers its publishers, sorted by number
 * @param subscribers its subscribers, each with one entry, and one more for each membership of a group
 * @param groups the groups among whose members its messages are divided, sorted by name
 */
public record TopicState(
        String name,
        long receivedLength,
        long keptLength,
        String rule,
        List<PublisherState> publishers,
        List<SubscriberState> subscribers,
        List<GroupState> groups) {

    /**
     * One publisher's share of a topic.
     *
     * @param number number that the broker assigned to the publisher
     * @param name its display name
     * @param peer its address
     * @param bufferId the broker's id for its buffer
     * @param capacity bytes of that buffer
     * @param receivedLength bytes received from the publisher for this topic
     * @param transferCount transfers in which these bytes arrived
     * @param delayMs how long the publisher has waited for subscribers of this topic, in milliseconds; measured every
     *     500 ms, so shorter waits may not count
     */
    public record PublisherState(
            int number,
            String name,
            String peer,
            int bufferId,
            long capacity,
            long receivedLength,
            long transferCount,
            long delayMs) {}

    /**
     * One subscriber of a topic.
     *
     * @param name its display name
     * @param peer its address
     * @param policy policy that applies when the subscriber is slow
     * @param sentLength bytes that have been sent to the subscriber from the current publishers
     * @param transferCount transfers in which they were sent
     * @param starvedCount number of times that the broker waited until the subscriber had read some data
     * @param pendingLength bytes that have not been sent to the subscriber yet
     * @param lostLength bytes that were skipped for the subscriber
     * @param currentDelayMs milliseconds since the subscriber began to delay a publisher; 0 if it does not delay any
     * @param delayMs how long the subscriber has delayed publishers, in milliseconds, added up over the publishers
     * @param worstPendingLength highest number of pending bytes of one publisher while the subscriber delayed it
     * @param group group that shares the messages with it; null for none
     */
    public record SubscriberState(
            String name,
            String peer,
            String policy,
            long sentLength,
            long transferCount,
            long starvedCount,
            long pendingLength,
            long lostLength,
            long currentDelayMs,
            long delayMs,
            long worstPendingLength,
            String group) {}

    /**
     * One group of subscribers.
     *
     * @param name its name
     * @param filter filter of its members
     * @param memberCount number of members
     * @param waitingLength bytes of the current publishers that no member has received yet
     */
    public record GroupState(String name, String filter, int memberCount, long waitingLength) {}
}

package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * A snapshot of one topic, or of the inbox of a client.
 *
 * @param name the topic
 * @param receivedLength bytes received since the topic was created, including headers and data from departed publishers
 * @param keptLength bytes of the last message, including headers, if it is kept and its publisher has left; otherwise 0
 * @param rule filter of the rule in {@code rbmq.topics} that applies to the topic; null if no rule applies
 * @param publishers the topic's publishers, sorted by number
 * @param subscribers the topic's subscribers, each with one entry, plus one for each group membership
 * @param groups the groups whose members share the topic's messages, sorted by name
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
     * @param name the publisher's display name
     * @param peer the publisher's address
     * @param bufferId the broker's id for the publisher's buffer
     * @param capacity capacity of that buffer in bytes
     * @param receivedLength bytes received from the publisher for this topic
     * @param transferCount number of transfers in which these bytes arrived
     * @param delayMs time that the publisher has spent waiting for subscribers of this topic, in milliseconds; sampled
     *     every 500 ms, so shorter waits may be missed
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
     * @param name the subscriber's display name
     * @param peer the subscriber's address
     * @param policy slow policy that applies to the subscriber
     * @param sentLength bytes from the current publishers that have been sent to the subscriber
     * @param transferCount number of transfers in which these bytes were sent
     * @param starvedCount number of times that the broker had to wait until the subscriber read data
     * @param pendingLength bytes that have not been sent to the subscriber yet
     * @param lostLength bytes that were skipped for the subscriber
     * @param currentDelayMs milliseconds for which the subscriber has currently been delaying a publisher; 0 if it
     *     delays none
     * @param delayMs time for which the subscriber has delayed publishers, in milliseconds, summed over the publishers
     * @param worstPendingLength highest number of bytes that were pending for any one publisher while the subscriber
     *     was delaying it
     * @param group name of the group of which this entry is a member; null if the entry is not a group membership
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
     * @param name name of the group
     * @param filter filter of the members' subscriptions
     * @param memberCount number of members
     * @param waitingLength bytes from the current publishers that no member has received yet
     */
    public record GroupState(String name, String filter, int memberCount, long waitingLength) {}
}

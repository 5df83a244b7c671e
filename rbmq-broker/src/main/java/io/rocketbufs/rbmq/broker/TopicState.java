package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * A snapshot of one topic, as shown by {@code rbmq topics}.
 *
 * @param name the topic
 * @param receivedLength bytes received since the topic was created, including headers and the bytes from publishers
 *     that have left
 * @param rule filter of the rule in {@code rbmq.topics} that applies to the topic; null when none does
 * @param publishers its publishers, sorted by number
 * @param subscribers its subscribers
 */
public record TopicState(
        String name,
        long receivedLength,
        String rule,
        List<PublisherState> publishers,
        List<SubscriberState> subscribers) {

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
     */
    public record PublisherState(
            int number,
            String name,
            String peer,
            int bufferId,
            long capacity,
            long receivedLength,
            long transferCount) {}

    /**
     * One subscriber of a topic.
     *
     * @param name its display name
     * @param peer its address
     * @param policy policy that applies when the subscriber is slow
     * @param pendingLength bytes that have not been sent to the subscriber yet
     * @param lostLength bytes that were skipped for the subscriber
     * @param group group that shares the messages with it; null for none
     */
    public record SubscriberState(
            String name, String peer, String policy, long pendingLength, long lostLength, String group) {}
}

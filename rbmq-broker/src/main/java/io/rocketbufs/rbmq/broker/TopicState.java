package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * One topic at one moment; what {@code rbmq topics} shows.
 *
 * @param name the topic
 * @param receivedLength bytes received since the topic has been there, frames included, also of publishers that are
 *     gone
 * @param publishers its publishers, by number
 * @param subscribers its subscribers
 */
public record TopicState(
        String name, long receivedLength, List<PublisherState> publishers, List<SubscriberState> subscribers) {

    /**
     * One publisher's share of a topic.
     *
     * @param number number that the broker gave to the publisher
     * @param name what it calls itself
     * @param peer its address
     * @param bufferId the broker's id for its buffer
     * @param capacity bytes of that buffer
     * @param receivedLength bytes received from it for this topic
     * @param transferCount transfers in which they came
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
     * @param name what it calls itself
     * @param peer its address
     * @param policy what happens when it is slow
     * @param pendingLength bytes that it has not been sent yet
     * @param lostLength bytes that were left out for it
     */
    public record SubscriberState(String name, String peer, String policy, long pendingLength, long lostLength) {}
}

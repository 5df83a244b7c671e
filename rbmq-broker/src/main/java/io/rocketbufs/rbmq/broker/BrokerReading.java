package io.rocketbufs.rbmq.broker;

import java.util.List;
import java.util.Map;

/**
 * The counters of a broker at one point in time.
 *
 * @param atNs the time of the reading, from {@link System#nanoTime}
 * @param atMs the time of the reading by the system clock, in milliseconds since the epoch
 * @param state the broker as a whole
 * @param topics all topics except inboxes, by name
 * @param inboxCount number of inboxes
 * @param clients all clients, by address
 * @param slow the subscriptions that are delaying a publisher
 * @param traffic the data received and sent since the start; never decreases
 * @param unsentLength bytes that were not sent because a subscriber was disconnected or a timeout expired
 * @param lag the combined lag of all subscribers
 */
record BrokerReading(
        long atNs,
        long atMs,
        BrokerState state,
        Map<String, TopicReading> topics,
        int inboxCount,
        Map<String, ClientReading> clients,
        List<SlowReading> slow,
        Traffic traffic,
        long unsentLength,
        Lag lag) {}

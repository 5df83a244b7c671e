package io.rocketbufs.rbmq.broker;

/**
 * A subscription that delays a publisher at one time.
 *
 * @param client the subscriber
 * @param topic the topic; null for an inbox, whose name is secret
 * @param policy policy that applies to the subscription
 * @param lag how far it is behind
 */
record SlowReading(ConnectedClient client, String topic, String policy, Lag lag) {}

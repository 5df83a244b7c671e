package io.rocketbufs.rbmq.broker;

/**
 * A subscription that is delaying a publisher, at one point in time.
 *
 * @param client the subscriber
 * @param topic the topic; null for an inbox, whose name is secret
 * @param policy slow policy that applies to the subscription
 * @param lag how far the subscription lags behind
 */
record SlowReading(ConnectedClient client, String topic, String policy, Lag lag) {}

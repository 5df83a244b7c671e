package io.rocketbufs.rbmq.broker;

/**
 * The counters of one client at one point in time.
 *
 * @param client the client
 * @param topicCount number of topics, excluding inboxes, that the client publishes to or receives
 * @param traffic the data received from or sent to the client since it connected
 * @param lag how far the client lags behind; {@link Lag#NONE} for a publisher
 */
record ClientReading(ConnectedClient client, int topicCount, Traffic traffic, Lag lag) {}

package io.rocketbufs.rbmq.broker;

/**
 * The counters of one client at one time.
 *
 * @param client the client
 * @param topicCount number of topics that it publishes to or receives, without inboxes
 * @param traffic what was received from it, or sent to it, since it connected
 * @param lag how far it is behind; none for a publisher
 */
record ClientReading(ConnectedClient client, int topicCount, Traffic traffic, Lag lag) {}

package io.rocketbufs.rbmq.client;

import java.net.InetSocketAddress;

/**
 * The target of one attempt to connect to a broker.
 *
 * @param transport name of the transport
 * @param address the broker's address for this transport
 * @param asks true to ask the broker for better transports
 */
record BrokerTarget(String transport, InetSocketAddress address, boolean asks) {}

package io.rocketbufs.rbmq.client;

import java.net.InetSocketAddress;

/**
 * One attempt to connect to a broker.
 *
 * @param transport name of the transport
 * @param address the broker's address over this transport
 * @param asks true if the broker should name better transports
 */
record BrokerTarget(String transport, InetSocketAddress address, boolean asks) {}
